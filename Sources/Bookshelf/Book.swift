import FetchedResults

/// A book on the shelf.
struct Book: MappedEntity, Equatable {
  static let table = "book"
  static let mapping = Mapping(
    Book.init, ("id", \.id), ("title", \.title), ("author", \.author), ("year", \.year), ("isRead", \.isRead))
  var id: Int64?
  var title: String
  var author: String
  var year: Int
  var isRead = false

  /// The schema, in the order in which it came to be.
  static let migrations = [
    Migration(
      "0001_book",
      sql: """
        CREATE TABLE book(
          id INTEGER PRIMARY KEY, title TEXT NOT NULL, author TEXT NOT NULL COLLATE NOCASE, year INTEGER NOT NULL,
          isRead INTEGER NOT NULL) STRICT;
        CREATE INDEX book_author ON book(author);
        """)
  ]
}

/// In which order the books of a section are, and what the sections are.
struct Arrangement: Hashable, Sendable {
  enum Order: String, CaseIterable, Identifiable, Sendable {
    case title = "Title"
    case newest = "Newest first"
    case oldest = "Oldest first"

    var id: Self { self }
  }

  enum Grouping: String, CaseIterable, Identifiable, Sendable {
    case author = "Author"
    case decade = "Decade"
    case state = "Read or not"

    var id: Self { self }
  }

  var order = Order.title
  var grouping = Grouping.author

  /// The request for the books that contain a text.
  func request(search: String) -> FetchRequest<Book> {
    let section: SectionTerm =
      switch grouping {
      case .author: .by("author")
      case .decade: .by("(year / 10 * 10) || 's'")
      case .state: .by("CASE WHEN isRead THEN 'Read' ELSE 'To read' END")
      }
    let order: [OrderTerm] =
      switch order {
      case .title: [.ascending("title", collation: .nocase)]
      case .newest: [.descending("year"), "title"]
      case .oldest: [.ascending("year"), "title"]
      }
    return FetchRequest(
      where: "instr(lower(title || ' ' || author), lower(\(search))) > 0", sectionBy: section, orderBy: order)
  }
}
