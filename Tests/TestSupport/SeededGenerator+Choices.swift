package import DataSourcesTestSupport

extension SeededGenerator {
  /// A number from 0 to below `bound`.
  package mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }

  /// True once in `times`.
  package mutating func once(in times: Int) -> Bool { below(times) == 0 }

  package mutating func pick<T>(_ choices: [T]) -> T { choices[below(choices.count)] }

  package mutating func pick<T>(_ choices: T...) -> T { pick(choices) }

  /// Nil once in three times.
  package mutating func maybe<T>(_ choices: [T]) -> T? { once(in: 3) ? nil : pick(choices) }
}
