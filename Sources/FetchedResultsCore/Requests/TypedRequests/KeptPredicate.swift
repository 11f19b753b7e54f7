package import RowModel

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// Translates predicates to the SQL of an engine's database.
package protocol PredicateTranslator {
  /// A condition for the WHERE of a query of the entity's table. It may be NULL, which means false.
  func condition<E: MappedEntity>(of predicate: Predicate<E>) throws(DatabaseError) -> SQL
}

/// A predicate without its entity's type.
package struct KeptPredicate: Sendable {
  private let translate: @Sendable (any PredicateTranslator) throws(DatabaseError) -> SQL
  // Computed in advance, because requests are compared under a lock.
  private let content: PredicateContent
  /// The predicate itself, of its entity's type.
  let predicate: any Sendable

  init<E: MappedEntity>(_ predicate: Predicate<E>) {
    translate = { translator throws(DatabaseError) in try translator.condition(of: predicate) }
    content = PredicateContent(predicate)
    self.predicate = predicate
  }

  /// The condition in SQL; throws if the predicate can't be translated.
  package func condition(_ translator: some PredicateTranslator) throws(DatabaseError) -> SQL {
    try translate(translator)
  }
}

extension KeptPredicate: Hashable {
  package static func == (left: KeptPredicate, right: KeptPredicate) -> Bool { left.content == right.content }
  package func hash(into hasher: inout Hasher) { hasher.combine(content) }
}
