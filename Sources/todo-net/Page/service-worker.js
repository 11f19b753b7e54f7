// Answers for the page's files when there is no connection. With one, they always come from todo-net, so the page is
// never older than the program. The API and the streams don't pass through here.

const files = [
  "/", "/page.css", "/icon.svg", "/icon.png", "/manifest.webmanifest",
  ...[
    "api", "complete", "connection", "details", "drag", "element", "follow", "kept", "keys", "live-list", "messages",
    "moves", "notes", "page", "rows", "selection", "streams", "words", "worker",
  ].map((name) => `/${name}.js`),
];
const patience = 4000;  // milliseconds, after which a network that doesn't answer counts as none

addEventListener("install", (event) => {
  event.waitUntil(caches.open("files").then((cache) => cache.addAll(files)).then(() => skipWaiting()));
});
addEventListener("activate", (event) => event.waitUntil(clients.claim()));
addEventListener("fetch", (event) => {
  const { origin, pathname } = new URL(event.request.url);
  if (event.request.method !== "GET" || origin !== location.origin || !files.includes(pathname)) return;
  event.respondWith(answer(event.request, pathname));
});

async function answer(request, path) {
  try {
    const response = await fetch(request, { signal: AbortSignal.timeout(patience) });
    // The path alone: the token that an address may have isn't kept.
    if (response.ok) await (await caches.open("files")).put(path, response.clone());
    // The token is another one by now, so what was seen with the former one is removed.
    if (response.status === 401) await Promise.all((await caches.keys()).map((name) => caches.delete(name)));
    return response;
  } catch {
    return await caches.match(path) ?? Response.error();
  }
}
