/// One violation of a law. Checkers return these, so that any test framework can report them.
///
/// ```swift
/// for violation: Violation in Laws.violations(of: update) { print(violation.law, violation) }
/// ```
public struct Violation: Error, Hashable, Sendable, CustomStringConvertible {
  /// The law.
  public let law: Law
  /// The rule of the law, in a few words that stay the same, such as `deleted twice`.
  public let rule: String
  /// The details and the place.
  public let details: String

  /// Creates a violation.
  public init(_ law: Law, _ rule: String, _ details: String = "") {
    self.law = law
    self.rule = rule
    self.details = details
  }

  /// The law, the rule and the details, in one line.
  public var description: String { "\(law.rawValue): \(rule)" + (details.isEmpty ? "" : ": \(details)") }
}
