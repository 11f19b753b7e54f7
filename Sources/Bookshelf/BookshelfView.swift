// The app's screen. On Linux it is only type-checked, by ExampleTests, against declarations written after Apple's
// documentation. It was never run.
#if canImport(SwiftUI)
  import FetchedResults
  import SwiftUI

  struct BookshelfView: View {
    @State var shelf: Bookshelf
    @State private var edited: Book?
    @State private var problem: String?

    var body: some View {
      List {
        if let problem { Text(problem) }
        ForEach(shelf.books.sections) { section in
          SwiftUI.Section(section.name) {
            ForEach(section.items) { book in
              Button("\(book.title), \(book.author), \(book.year)") { edited = book }
                .swipeActions {
                  Button(book.isRead ? "To read" : "Read") { attempt { try await toggle(book) } }
                  Button("Remove", role: .destructive) { attempt { try await remove(book) } }
                }
            }
          }
        }
      }
      .searchable(text: $shelf.search)
      .toolbar {
        Menu("Arrange") {
          Picker("Order", selection: $shelf.arrangement.order) {
            ForEach(Arrangement.Order.allCases) { Text($0.rawValue).tag($0) }
          }
          Picker("Sections", selection: $shelf.arrangement.grouping) {
            ForEach(Arrangement.Grouping.allCases) { Text($0.rawValue).tag($0) }
          }
        }
        Button("Undo") { attempt { try await shelf.undo() } }.disabled(!shelf.canUndo)
        Button("Redo") { attempt { try await shelf.redo() } }.disabled(!shelf.canRedo)
        Button("Add") { edited = Book(title: "", author: "", year: 2000) }
      }
      .sheet(item: $edited) { book in
        BookForm(book: book) { book in attempt { try await shelf.save(book) } }
      }
    }

    private func toggle(_ book: Book) async throws {
      var book = book
      book.isRead.toggle()
      try await shelf.save(book)
    }

    private func remove(_ book: Book) async throws {
      if let id = book.id { try await shelf.remove(id) }
    }

    private func attempt(_ action: @escaping @MainActor () async throws -> Void) {
      Task {
        do {
          try await action()
          problem = nil
        } catch {
          problem = String(describing: error)
        }
      }
    }
  }

  struct BookForm: View {
    @State var book: Book
    let save: @MainActor (Book) -> Void
    @Environment(\.dismiss) private var dismiss

    var body: some View {
      Form {
        TextField("Title", text: $book.title)
        TextField("Author", text: $book.author)
        Stepper("\(book.year)", value: $book.year)
        Toggle("Read", isOn: $book.isRead)
        Button("Save") {
          save(book)
          dismiss()
        }
        .disabled(book.title.isEmpty)
      }
    }
  }
#endif
