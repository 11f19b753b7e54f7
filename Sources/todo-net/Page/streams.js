// All blocks of rows that a browser follows, over one stream: a browser has only six connections to a server.
import { LiveList } from "/live-list.js";

// A block of rows. The stream hands it its frames, so it has no connection of its own.
class Block extends LiveList {
  connect() { this.state("again"); }
  close() {}
}

// The stream. Its token is those of the blocks, which `change` returns.
class Stream extends LiveList {
  take(message) { this.token = this.change(message); }
}

export class Streams {
  blocks = new Map();  // by what they show, as JSON; the order is that of the stream
  stream = null;
  last = "live";  // the state of the connection

  // Follows a block: {view, filter, window, size}. The follower has change(sections, changes, total) and state(text),
  // as those of a LiveList. Returns a function that ends it.
  follow(place, follower) {
    const key = JSON.stringify(place);
    if (!this.blocks.has(key)) this.blocks.set(key, this.block(key));
    const block = this.blocks.get(key);
    block.followers.add(follower);
    if (block.isWhole) follower.change(block.sections, null, block.total);
    if (this.last !== "live") follower.state(this.last);
    return () => {
      block.followers.delete(follower);
      if (block.followers.size || this.blocks.get(key) !== block) return;
      this.blocks.delete(key);
      this.restart(2000);  // another block is likely to come soon, which ends this one without a restart of its own
    };
  }

  block(key) {
    const followers = new Set();
    const block = new Block(key, {
      change(sections, changes, total) {
        block.isWhole = true;
        for (const follower of followers) follower.change(sections, changes, total);
      },
      state: (text) => this.restart(text === "again" ? 0 : 5000),
    });
    return Object.assign(block, { followers });
  }

  // Opens the stream for the blocks of now, which go on where they are.
  restart(delay = 0) {
    const due = Date.now() + delay;
    if (this.isPaused || (this.timer && this.due <= due)) return;
    clearTimeout(this.timer);
    this.due = due;
    this.timer = setTimeout(() => this.open(), delay);
  }

  open() {
    this.timer = null;
    this.stream?.close();
    this.stream = null;
    const blocks = [...this.blocks.values()];
    if (!blocks.length) return;
    const tokens = () => blocks.map(({ token }) => token ?? "").join("~");
    const query = new URLSearchParams({ lists: `[${[...this.blocks.keys()]}]`, after: tokens() });
    this.stream = new Stream(`/api/live?${query}`, {
      change({ list, frame, refused }) {
        const block = blocks[list];
        if (frame) block.take(frame);
        else for (const { state } of block.followers) state(`refused: ${refused}`);
        return tokens();
      },
      state: (text) => {
        this.last = text;
        for (const { followers } of this.blocks.values()) for (const { state } of followers) state(text);
      },
    });
  }

  // Gives the connection back until `resume`.
  pause() {
    this.isPaused = true;
    clearTimeout(this.timer);
    this.timer = null;
    this.stream?.close();
  }

  resume() {
    if (!this.isPaused) return;
    this.isPaused = false;
    this.restart();
  }
}
