import TerminalLists
import TodoCore

extension WatchScreen {
  /// A command of one key.
  struct KeyCommand: Sendable {
    /// Its keys.
    let keys: [Key]
    /// The keys and the effect as the help says them; nil if another command's line says it.
    let help: (keys: String, text: String)?
    /// Whether it is also for an item that is shown instead of the list.
    var isForItems = false
    let action: @Sendable (WatchScreen) -> Void

    init(
      _ keys: [Key], _ help: (keys: String, text: String)? = nil, isForItems: Bool = false,
      _ action: @escaping @Sendable (WatchScreen) -> Void
    ) {
      self.keys = keys
      self.help = help
      self.isForItems = isForItems
      self.action = action
    }

    /// A command on the marked items or the selected one.
    static func ofItems(
      _ key: Key, _ keys: String, _ text: String, _ action: @escaping @Sendable (WatchScreen) -> Void
    ) -> KeyCommand { KeyCommand([key], (keys, text), isForItems: true, action) }
  }

  /// All commands, in the order of the help.
  static let commands: [KeyCommand] =
    moving + changing + [
      KeyCommand([.text("a")], ("a", "add an item, with +list @tag pri:high due:fri every:month")) {
        $0.input = .prompt(.add)
      },
      KeyCommand([.text("J")], ("J K", "move the item down or up in its list")) { $0.reorder(by: 1) },
      KeyCommand([.text("K")]) { $0.reorder(by: -1) },
      KeyCommand([.text("/")], ("/", "filter: words, +list @tag pri:high due:before:fri")) {
        $0.input = .prompt(.filter(former: $0.filterText))
      },
      KeyCommand([.escape], ("Esc", "leave the filter, or remove the marks")) { screen in
        screen.attempt { try screen.leave() }
      },
      KeyCommand([.tab], ("Tab", "fold the section, or unfold it")) { $0.fold() },
      KeyCommand([.text("v")], ("v", "the next view: by list, due day, priority, tag")) { screen in
        screen.attempt { try screen.showNextView() }
      },
      .ofItems(.text("u"), "u U", "undo, redo: after a question if another program made the change") {
        $0.takeBack(isUndo: true)
      },
      KeyCommand([.text("U")], isForItems: true) { $0.takeBack(isUndo: false) },
      .ofItems(.text("?"), "?", "this help, until ? again") { $0.help = Pager() },
    ]

  /// The keys and their effects, for the help and the man page.
  static let keys: [(keys: String, text: String)] =
    commands.compactMap(\.help) + [("q, Ctrl-D", "quit, or close what is shown instead of the list")]

  private static let moving: [KeyCommand] = [
    KeyCommand([.text("j"), .down, .control("n")], ("j k, arrows", "to the next item, to the one before")) {
      $0.select { $0.moveSelection(by: 1) }
    },
    KeyCommand([.text("k"), .up, .control("p")]) { $0.select(isUpwards: true) { $0.moveSelection(by: -1) } },
    KeyCommand([.text("g"), .home], ("g G", "to the first item, to the last")) { $0.table.selectFirst() },
    KeyCommand([.text("G"), .end]) { $0.table.selectLast() },
    KeyCommand([.pageDown, .control("f")], ("PgUp PgDn", "a page up, a page down")) {
      $0.select { $0.moveSelection(byPages: 1) }
    },
    KeyCommand([.pageUp, .control("b")]) { $0.select(isUpwards: true) { $0.moveSelection(byPages: -1) } },
    KeyCommand([.enter], ("Enter", "all details of the item, until Enter, q or Esc")) { screen in
      guard let item = screen.selectedItem else { return screen.say("nothing is selected; j selects") }
      screen.details = Details(id: item.id, title: item.title)
    },
    KeyCommand([.text(" ")], ("space", "mark the item, or remove its mark: keys are for all marked items")) {
      $0.mark()
    },
  ]

  private static let changing: [KeyCommand] = [
    .ofItems(.text("x"), "x", "done, or open again, and on to the next item") { screen in
      screen.toggle(.done, isEnd: true)
    },
    .ofItems(.text("s"), "s", "start, or stop") { screen in
      screen.toggle(.started)
    },
    .ofItems(.text("1"), "1 2 3 0", "priority high, medium, low, none") { $0.setPriority(.high) },
    KeyCommand([.text("2")], isForItems: true) { $0.setPriority(.medium) },
    KeyCommand([.text("3")], isForItems: true) { $0.setPriority(.low) },
    KeyCommand([.text("0")], isForItems: true) { $0.setPriority(nil) },
    .ofItems(.text("d"), "d", "set the due date, such as fri, or none") { $0.ask(.due) },
    .ofItems(.text("e"), "e", "edit the title, and with +list @tag pri:high due:fri the rest") { $0.ask(.words) },
    .ofItems(.text("t"), "t", "tags: @new to add one, -@old to remove one") { $0.ask(.tags) },
    .ofItems(.text("n"), "n", "add a note") { $0.ask(.note) },
    .ofItems(.text("m"), "m", "move to another list") { $0.ask(.list) },
    .ofItems(.text("A"), "A", "archive, or bring back") { screen in
      screen.toggle(.archived, isEnd: true)
    },
    KeyCommand([.text("D"), .delete], ("D, Del", "remove, for several items after a question"), isForItems: true) {
      $0.remove()
    },
  ]
}
