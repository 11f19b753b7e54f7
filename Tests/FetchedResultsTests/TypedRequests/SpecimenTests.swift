import DataSourcesTestSupport
import FetchedResults
import FetchedResultsFoundation
import Foundation
import TestSupport
import Testing

/// Values of every type in every form, affinity and encoding: what SQL finds, sorts and groups against what Swift does.
@Suite struct SpecimenTests {
  @Test func `SQL finds what Swift finds, however the values are stored`() throws {
    var found = 0
    for seed in Seeds.range(30) {
      var world = try SpecimenWorld(seed: seed)
      let all = try world.fill()
      #expect(Set(all.map(\.id)).count == SpecimenWorld.uuids.count)
      var predicates = SpecimenPredicates(random: world.random)
      for predicate in predicates.all() {
        let sql = try SQL(predicate)
        let ids = try world.database.read { c in
          try c.entities("SELECT * FROM frc_rows WHERE \(sql)", of: Specimen.self).map(\.id)
        }
        let expected = try all.filter { try predicate.evaluate($0) }.map(\.id)
        found += ids.count
        #expect(Set(ids) == Set(expected), "\(predicate)\n\(sql)\nreplay with SEED=\(seed)")
      }
    }
    #expect(found > 0)
  }

  @Test func `a list with any predicate is followed row by row`() async throws {
    for seed in Seeds.range(5) {
      var world = try SpecimenWorld(seed: seed)
      _ = try world.fill()
      var predicates = SpecimenPredicates(random: world.random)
      let all = predicates.all()
      let controllers = try all.map { predicate in
        let controller = FetchedResultsController(
          fetchRequest: FetchRequest<Specimen>(predicate: predicate), database: world.database)
        try controller.fetchHere()
        return controller
      }
      for _ in 0..<3 {
        let changed = world.specimen(world.random.pick(SpecimenWorld.uuids))
        let rows = try await world.database.write { c in
          try c.upsert(changed)
          return try c.entities("SELECT * FROM frc_rows", of: Specimen.self)
        }
        for (controller, predicate) in zip(controllers, all) {
          try await controller.settled()
          let expected = try rows.filter { try predicate.evaluate($0) }.map(\.id)
          #expect(Set(controller.fetchedObjects.map(\.id)) == Set(expected), "\(predicate)\nreplay with SEED=\(seed)")
          #expect(controller.statistics.requeried == 0, "\(predicate)\n\(controller.statistics.reasons)")
        }
      }
    }
  }

  private static let orders:
    [(name: String, term: TypedOrderTerm<Specimen>, areIncreasing: @Sendable (Specimen, Specimen) -> Bool?)] = [
      ("text", .ascending(\.text, collation: .named("frc_utf8")), { before($0.text, $1.text) }),
      ("sorted text", TypedOrderTerm(SortDescriptor(\.text, comparator: .lexical)), { before($0.text, $1.text) }),
      ("number", TypedOrderTerm(SortDescriptor(\.number)), { before($0.number, $1.number) }),
      ("date", .ascending(\.date), { before($0.date, $1.date) }),
      ("later", TypedOrderTerm(SortDescriptor(\.date, order: .reverse)), { before($1.date, $0.date) }),
      ("due", .ascending(\.due, nulls: .first), { before($0.due ?? .distantPast, $1.due ?? .distantPast) }),
      ("flag", .ascending(\.flag), { before($0.flag ? 1 : 0, $1.flag ? 1 : 0) }),
      ("single", .ascending(\.single), { before($0.single, $1.single) }),
      ("real", TypedOrderTerm(SortDescriptor(\.real, order: .reverse)), { before($1.real, $0.real) }),
      ("owner", .ascending(\.owner), { before($0.owner?.uuidString ?? "", $1.owner?.uuidString ?? "") }),
      ("level", .ascending(\.level), { before($0.level.rawValue, $1.level.rawValue) }),
      ("grade", .ascending(\.grade), { before($0.grade.rawValue, $1.grade.rawValue) }),
      ("tag", .ascending(\.tag), { before($0.tag.rawValue.uuidString, $1.tag.rawValue.uuidString) }),
    ]

  private static func before<T: Comparable>(_ left: T, _ right: T) -> Bool? { left == right ? nil : left < right }

  @Test func `rows are sorted as in Swift, however the values are stored`() throws {
    for seed in Seeds.range(30) {
      var world = try SpecimenWorld(seed: seed)
      let all = try world.fill()
      for _ in 0..<6 {
        let (first, second) = (world.random.pick(Self.orders), world.random.pick(Self.orders))
        let request = FetchRequest<Specimen>(sortBy: [first.term, second.term, .ascending(\.id)])
        let controller = FetchedResultsController(fetchRequest: request, database: world.database)
        try controller.performFetch()
        let sorted = all.sorted {
          first.areIncreasing($0, $1) ?? second.areIncreasing($0, $1) ?? ($0.id.uuidString < $1.id.uuidString)
        }
        #expect(
          controller.fetchedObjects.map(\.id) == sorted.map(\.id),
          "\(first.name), \(second.name), replay with SEED=\(seed)")
      }
    }
  }

  @Test func `columns named like the library's own sort as in Swift`() throws {
    for seed in Seeds.range(10) {
      var world = try SpecimenWorld(seed: seed)
      let all = try world.fill()
      let isDescending = world.random.below(2) == 0
      let request = FetchRequest<Specimen>(orderBy: [
        isDescending ? "-FRC_O1" : "abs(FRC_O1)", OrderTerm("frc_o0", collation: .named("frc_utf8")),
        OrderTerm("frc_form(0, frc_k0)"),
      ])
      let controller = FetchedResultsController(fetchRequest: request, database: world.database)
      try controller.performFetch()
      func number(_ one: Specimen) -> Int { isDescending ? -one.number : abs(one.number) }
      let sorted = all.sorted {
        Self.before(number($0), number($1)) ?? Self.before($0.text, $1.text) ?? ($0.id.uuidString < $1.id.uuidString)
      }
      #expect(controller.fetchedObjects.map(\.id) == sorted.map(\.id), "replay with SEED=\(seed)")
    }
  }

  @Test func `equal values are one section, however they are stored, and stay so as rows change`() throws {
    func check<Key: Hashable>(_ path: any KeyPath<Specimen, Key> & Sendable, _ seed: UInt64) throws {
      var world = try SpecimenWorld(seed: seed)
      var all = try world.fill()
      let request = FetchRequest<Specimen>(sortBy: [.ascending(\.number)], sectionBy: path)
      let controller = FetchedResultsController(fetchRequest: request, database: world.database)
      try controller.performFetch()
      for _ in 0..<3 {
        let groups = Dictionary(grouping: all, by: { $0[keyPath: path] }).values.map { Set($0.map(\.id)) }
        let sections = controller.sections.map { Set($0.items.map(\.id)) }
        #expect(Set(groups) == Set(sections) && groups.count == sections.count, "\(path), replay with SEED=\(seed)")
        let changed = world.specimen(world.random.pick(SpecimenWorld.uuids))
        all = try world.database.write { c in
          try c.upsert(changed)
          return try c.entities("SELECT * FROM frc_rows", of: Specimen.self)
        }
        try controller.performFetch()
      }
    }
    for seed in Seeds.range(40) {
      try check(\.flag, seed)
      try check(\.maybe, seed)
      try check(\.date, seed)
      try check(\.due, seed)
      try check(\.single, seed)
      try check(\.owner, seed)
      try check(\.tag, seed)
      try check(\.grade, seed)
      try check(\.text, seed)
    }
  }

  @Test func `writes find the rows that a dictionary finds, whatever form their ids are stored in`() throws {
    for seed in Seeds.range(20) {
      let start = try SpecimenWorld(seed: seed)
      let database = start.database
      try database.write { c in
        var world = start
        var model: [UUID: Specimen] = [:]
        for step in 0..<60 {
          let id = world.random.pick(SpecimenWorld.uuids)
          let specimen = world.specimen(id)
          let exists = model[id] != nil
          func expectThrows(_ body: () throws -> Void) {
            #expect(throws: DatabaseError.self, "step \(step), replay with SEED=\(seed)") { try body() }
          }
          switch world.random.below(6) {
          case 0:
            if exists { expectThrows { try c.insert(specimen) } } else { try c.insert(specimen) }
            if !exists { model[id] = specimen }
          case 1:
            if exists { try c.update(specimen) } else { expectThrows { try c.update(specimen) } }
            if exists { model[id] = specimen }
          case 2:
            try c.upsert(specimen)
            model[id] = specimen
          case 3:
            #expect(try c.delete(specimen) == exists, "step \(step), replay with SEED=\(seed)")
            model[id] = nil
          case 4:
            #expect(try c.delete(Specimen.self, id: id) == exists, "step \(step), replay with SEED=\(seed)")
            model[id] = nil
          default:
            let stored = try c.value(
              "SELECT frc_k0 FROM frc_rows WHERE \(SQL(#Predicate<Specimen> { $0.id == id }))", as: Value.self)
            #expect((stored != nil) == exists)
            if let stored, let specimen = model[id] { try world.respell(stored, specimen, c) }
          }
          #expect(try c.entity(Specimen.self, id: id) == model[id], "step \(step), replay with SEED=\(seed)")
        }
        #expect(Set(try c.all(Specimen.self).map(\.id)) == Set(model.keys), "replay with SEED=\(seed)")
      }
    }
  }
}
