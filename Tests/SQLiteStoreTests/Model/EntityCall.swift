import FixtureSupport
import SQLiteStore

/// A call that reads or writes an entity.
struct EntityCall: CustomStringConvertible, Sendable {
  enum Action: CaseIterable { case insert, inserted, update, upsert, deleteByID, delete, find, all, count }

  /// What the entities are stored in.
  enum Kind: CaseIterable { case item, shown, part, word, looseWord }

  var action: Action
  var kind: Kind
  /// The values of the entity's columns, the id first.
  var values: [Value]

  var description: String { "\(action) \(kind) \(values)" }
}

protocol ModelEntity: MappedEntity {
  init(values: [Value]) throws
  var values: [Value] { get }
}

enum ModelEntities {
  struct Item: ModelThing {
    static let table = "item"
    static let mapping = Mapping(Item.init, ("id", \.id), ("title", \.title), ("weight", \.weight), ("note", \.note))
    var id: Int64?
    var title: String?
    var weight: Double
    var note: Value
  }

  /// A row of a view with triggers.
  struct Shown: ModelThing {
    static let table = "shown"
    static let mapping = Mapping(Shown.init, ("id", \.id), ("title", \.title), ("weight", \.weight), ("note", \.note))
    var id: Int64?
    var title: String?
    var weight: Double
    var note: Value
  }

  /// A row of a table in an attached file.
  struct Part: ModelEntity {
    static let table = "o.part"
    static let mapping = Mapping(Part.init, ("id", \.id), ("title", \.title), ("box", \.box))
    var id: Int64?
    var title: String?
    var box: Int64?
  }

  struct Word: ModelEntity {
    static let table = "word"
    static let mapping = Mapping(Word.init, ("id", \.id), ("n", \.n))
    var id: String
    var n: Int64?
  }

  /// The same with an id that may be nil, which the table does not generate.
  struct LooseWord: ModelEntity {
    static let table = "word"
    static let mapping = Mapping(LooseWord.init, ("id", \.id), ("n", \.n))
    var id: String?
    var n: Int64?
  }
}

/// An entity of the table, or of the view that shows it.
protocol ModelThing: ModelEntity where ID == Int64? {
  var title: String? { get }
  var weight: Double { get }
  var note: Value { get }
  init(id: Int64?, title: String?, weight: Double, note: Value)
}

extension ModelThing {
  init(values: [Value]) throws {
    self.init(
      id: try Int64?(databaseValue: values[0]), title: try String?(databaseValue: values[1]),
      weight: try Double(databaseValue: values[2]), note: values[3])
  }
  var values: [Value] {
    [id.map(Value.integer) ?? .null, title.map(Value.text) ?? .null, .real(weight), note]
  }
}

extension ModelEntities.Part {
  init(values: [Value]) throws {
    self.init(
      id: try Int64?(databaseValue: values[0]), title: try String?(databaseValue: values[1]),
      box: try Int64?(databaseValue: values[2]))
  }
  var values: [Value] {
    [id.map(Value.integer) ?? .null, title.map(Value.text) ?? .null, box.map(Value.integer) ?? .null]
  }
}

extension ModelEntities.Word {
  init(values: [Value]) throws {
    self.init(id: try String(databaseValue: values[0]), n: try Int64?(databaseValue: values[1]))
  }
  var values: [Value] { [.text(id), n.map(Value.integer) ?? .null] }
}

extension ModelEntities.LooseWord {
  init(values: [Value]) throws {
    self.init(id: try String?(databaseValue: values[0]), n: try Int64?(databaseValue: values[1]))
  }
  var values: [Value] { [id.map(Value.text) ?? .null, n.map(Value.integer) ?? .null] }
}
