// Initializers for the usual numbers of columns. They do the same as the initializer with a parameter pack, which
// serves the rest. The optimiser does not unroll packs; using one costs 40 of 230 ns for a row of five columns.

extension Mapping {
  /// Maps 1 column.
  @inlinable
  public convenience init<A: ValueConvertible>(
    _ make: @escaping @Sendable (A) -> Root, _ a: MappedColumn<A>
  ) {
    let p = Property<Root, A>(a)
    self.init(columns: [p.column]) {
      make(try $0.read(0))
    } bind: {
      try p.bind($0, to: $1, 1)
    }
  }

  /// Maps 2 columns.
  @inlinable
  public convenience init<A: ValueConvertible, B: ValueConvertible>(
    _ make: @escaping @Sendable (A, B) -> Root, _ a: MappedColumn<A>, _ b: MappedColumn<B>
  ) {
    let p = (Property<Root, A>(a), Property<Root, B>(b))
    self.init(columns: [p.0.column, p.1.column]) {
      make(try $0.read(0), try $0.read(1))
    } bind: {
      try p.0.bind($0, to: $1, 1)
      try p.1.bind($0, to: $1, 2)
    }
  }

  /// Maps 3 columns.
  @inlinable
  public convenience init<A: ValueConvertible, B: ValueConvertible, C: ValueConvertible>(
    _ make: @escaping @Sendable (A, B, C) -> Root, _ a: MappedColumn<A>, _ b: MappedColumn<B>, _ c: MappedColumn<C>
  ) {
    let p = (Property<Root, A>(a), Property<Root, B>(b), Property<Root, C>(c))
    self.init(columns: [p.0.column, p.1.column, p.2.column]) {
      make(try $0.read(0), try $0.read(1), try $0.read(2))
    } bind: {
      try p.0.bind($0, to: $1, 1)
      try p.1.bind($0, to: $1, 2)
      try p.2.bind($0, to: $1, 3)
    }
  }

  /// Maps 4 columns.
  @inlinable
  public convenience init<A: ValueConvertible, B: ValueConvertible, C: ValueConvertible, D: ValueConvertible>(
    _ make: @escaping @Sendable (A, B, C, D) -> Root, _ a: MappedColumn<A>, _ b: MappedColumn<B>, _ c: MappedColumn<C>,
    _ d: MappedColumn<D>
  ) {
    let p = (Property<Root, A>(a), Property<Root, B>(b), Property<Root, C>(c), Property<Root, D>(d))
    self.init(columns: [p.0.column, p.1.column, p.2.column, p.3.column]) {
      make(try $0.read(0), try $0.read(1), try $0.read(2), try $0.read(3))
    } bind: {
      try p.0.bind($0, to: $1, 1)
      try p.1.bind($0, to: $1, 2)
      try p.2.bind($0, to: $1, 3)
      try p.3.bind($0, to: $1, 4)
    }
  }

  /// Maps 5 columns.
  @inlinable
  public convenience init<
    A: ValueConvertible, B: ValueConvertible, C: ValueConvertible, D: ValueConvertible, E: ValueConvertible
  >(
    _ make: @escaping @Sendable (A, B, C, D, E) -> Root, _ a: MappedColumn<A>, _ b: MappedColumn<B>,
    _ c: MappedColumn<C>, _ d: MappedColumn<D>, _ e: MappedColumn<E>
  ) {
    let p = (
      Property<Root, A>(a), Property<Root, B>(b), Property<Root, C>(c), Property<Root, D>(d), Property<Root, E>(e)
    )
    self.init(columns: [p.0.column, p.1.column, p.2.column, p.3.column, p.4.column]) {
      make(try $0.read(0), try $0.read(1), try $0.read(2), try $0.read(3), try $0.read(4))
    } bind: {
      try p.0.bind($0, to: $1, 1)
      try p.1.bind($0, to: $1, 2)
      try p.2.bind($0, to: $1, 3)
      try p.3.bind($0, to: $1, 4)
      try p.4.bind($0, to: $1, 5)
    }
  }

  /// Maps 6 columns.
  @inlinable
  public convenience init<
    A: ValueConvertible, B: ValueConvertible, C: ValueConvertible, D: ValueConvertible, E: ValueConvertible,
    F: ValueConvertible
  >(
    _ make: @escaping @Sendable (A, B, C, D, E, F) -> Root, _ a: MappedColumn<A>, _ b: MappedColumn<B>,
    _ c: MappedColumn<C>, _ d: MappedColumn<D>, _ e: MappedColumn<E>, _ f: MappedColumn<F>
  ) {
    let p = (
      Property<Root, A>(a), Property<Root, B>(b), Property<Root, C>(c), Property<Root, D>(d), Property<Root, E>(e),
      Property<Root, F>(f)
    )
    self.init(columns: [p.0.column, p.1.column, p.2.column, p.3.column, p.4.column, p.5.column]) {
      make(try $0.read(0), try $0.read(1), try $0.read(2), try $0.read(3), try $0.read(4), try $0.read(5))
    } bind: {
      try p.0.bind($0, to: $1, 1)
      try p.1.bind($0, to: $1, 2)
      try p.2.bind($0, to: $1, 3)
      try p.3.bind($0, to: $1, 4)
      try p.4.bind($0, to: $1, 5)
      try p.5.bind($0, to: $1, 6)
    }
  }

  /// Maps 7 columns.
  @inlinable
  public convenience init<
    A: ValueConvertible, B: ValueConvertible, C: ValueConvertible, D: ValueConvertible, E: ValueConvertible,
    F: ValueConvertible, G: ValueConvertible
  >(
    _ make: @escaping @Sendable (A, B, C, D, E, F, G) -> Root, _ a: MappedColumn<A>, _ b: MappedColumn<B>,
    _ c: MappedColumn<C>, _ d: MappedColumn<D>, _ e: MappedColumn<E>, _ f: MappedColumn<F>, _ g: MappedColumn<G>
  ) {
    let p = (
      Property<Root, A>(a), Property<Root, B>(b), Property<Root, C>(c), Property<Root, D>(d), Property<Root, E>(e),
      Property<Root, F>(f), Property<Root, G>(g)
    )
    self.init(columns: [p.0.column, p.1.column, p.2.column, p.3.column, p.4.column, p.5.column, p.6.column]) {
      make(
        try $0.read(0), try $0.read(1), try $0.read(2), try $0.read(3), try $0.read(4), try $0.read(5), try $0.read(6))
    } bind: {
      try p.0.bind($0, to: $1, 1)
      try p.1.bind($0, to: $1, 2)
      try p.2.bind($0, to: $1, 3)
      try p.3.bind($0, to: $1, 4)
      try p.4.bind($0, to: $1, 5)
      try p.5.bind($0, to: $1, 6)
      try p.6.bind($0, to: $1, 7)
    }
  }

  /// Maps 8 columns.
  @inlinable
  public convenience init<
    A: ValueConvertible, B: ValueConvertible, C: ValueConvertible, D: ValueConvertible, E: ValueConvertible,
    F: ValueConvertible, G: ValueConvertible, H: ValueConvertible
  >(
    _ make: @escaping @Sendable (A, B, C, D, E, F, G, H) -> Root, _ a: MappedColumn<A>, _ b: MappedColumn<B>,
    _ c: MappedColumn<C>, _ d: MappedColumn<D>, _ e: MappedColumn<E>, _ f: MappedColumn<F>, _ g: MappedColumn<G>,
    _ h: MappedColumn<H>
  ) {
    let p = (
      Property<Root, A>(a), Property<Root, B>(b), Property<Root, C>(c), Property<Root, D>(d), Property<Root, E>(e),
      Property<Root, F>(f), Property<Root, G>(g), Property<Root, H>(h)
    )
    self.init(columns: [p.0.column, p.1.column, p.2.column, p.3.column, p.4.column, p.5.column, p.6.column, p.7.column])
    {
      make(
        try $0.read(0), try $0.read(1), try $0.read(2), try $0.read(3), try $0.read(4), try $0.read(5), try $0.read(6),
        try $0.read(7))
    } bind: {
      try p.0.bind($0, to: $1, 1)
      try p.1.bind($0, to: $1, 2)
      try p.2.bind($0, to: $1, 3)
      try p.3.bind($0, to: $1, 4)
      try p.4.bind($0, to: $1, 5)
      try p.5.bind($0, to: $1, 6)
      try p.6.bind($0, to: $1, 7)
      try p.7.bind($0, to: $1, 8)
    }
  }

  /// Maps 9 columns.
  @inlinable
  public convenience init<
    A: ValueConvertible, B: ValueConvertible, C: ValueConvertible, D: ValueConvertible, E: ValueConvertible,
    F: ValueConvertible, G: ValueConvertible, H: ValueConvertible, I: ValueConvertible
  >(
    _ make: @escaping @Sendable (A, B, C, D, E, F, G, H, I) -> Root, _ a: MappedColumn<A>, _ b: MappedColumn<B>,
    _ c: MappedColumn<C>, _ d: MappedColumn<D>, _ e: MappedColumn<E>, _ f: MappedColumn<F>, _ g: MappedColumn<G>,
    _ h: MappedColumn<H>, _ i: MappedColumn<I>
  ) {
    let p = (
      Property<Root, A>(a), Property<Root, B>(b), Property<Root, C>(c), Property<Root, D>(d), Property<Root, E>(e),
      Property<Root, F>(f), Property<Root, G>(g), Property<Root, H>(h), Property<Root, I>(i)
    )
    self.init(columns: [
      p.0.column, p.1.column, p.2.column, p.3.column, p.4.column, p.5.column, p.6.column, p.7.column, p.8.column,
    ]) {
      make(
        try $0.read(0), try $0.read(1), try $0.read(2), try $0.read(3), try $0.read(4), try $0.read(5), try $0.read(6),
        try $0.read(7), try $0.read(8))
    } bind: {
      try p.0.bind($0, to: $1, 1)
      try p.1.bind($0, to: $1, 2)
      try p.2.bind($0, to: $1, 3)
      try p.3.bind($0, to: $1, 4)
      try p.4.bind($0, to: $1, 5)
      try p.5.bind($0, to: $1, 6)
      try p.6.bind($0, to: $1, 7)
      try p.7.bind($0, to: $1, 8)
      try p.8.bind($0, to: $1, 9)
    }
  }

  /// Maps 10 columns.
  @inlinable
  public convenience init<
    A: ValueConvertible, B: ValueConvertible, C: ValueConvertible, D: ValueConvertible, E: ValueConvertible,
    F: ValueConvertible, G: ValueConvertible, H: ValueConvertible, I: ValueConvertible, J: ValueConvertible
  >(
    _ make: @escaping @Sendable (A, B, C, D, E, F, G, H, I, J) -> Root, _ a: MappedColumn<A>, _ b: MappedColumn<B>,
    _ c: MappedColumn<C>, _ d: MappedColumn<D>, _ e: MappedColumn<E>, _ f: MappedColumn<F>, _ g: MappedColumn<G>,
    _ h: MappedColumn<H>, _ i: MappedColumn<I>, _ j: MappedColumn<J>
  ) {
    let p = (
      Property<Root, A>(a), Property<Root, B>(b), Property<Root, C>(c), Property<Root, D>(d), Property<Root, E>(e),
      Property<Root, F>(f), Property<Root, G>(g), Property<Root, H>(h), Property<Root, I>(i), Property<Root, J>(j)
    )
    self.init(columns: [
      p.0.column, p.1.column, p.2.column, p.3.column, p.4.column, p.5.column, p.6.column, p.7.column, p.8.column,
      p.9.column,
    ]) {
      make(
        try $0.read(0), try $0.read(1), try $0.read(2), try $0.read(3), try $0.read(4), try $0.read(5), try $0.read(6),
        try $0.read(7), try $0.read(8), try $0.read(9))
    } bind: {
      try p.0.bind($0, to: $1, 1)
      try p.1.bind($0, to: $1, 2)
      try p.2.bind($0, to: $1, 3)
      try p.3.bind($0, to: $1, 4)
      try p.4.bind($0, to: $1, 5)
      try p.5.bind($0, to: $1, 6)
      try p.6.bind($0, to: $1, 7)
      try p.7.bind($0, to: $1, 8)
      try p.8.bind($0, to: $1, 9)
      try p.9.bind($0, to: $1, 10)
    }
  }

  /// Maps 11 columns.
  @inlinable
  public convenience init<
    A: ValueConvertible, B: ValueConvertible, C: ValueConvertible, D: ValueConvertible, E: ValueConvertible,
    F: ValueConvertible, G: ValueConvertible, H: ValueConvertible, I: ValueConvertible, J: ValueConvertible,
    K: ValueConvertible
  >(
    _ make: @escaping @Sendable (A, B, C, D, E, F, G, H, I, J, K) -> Root, _ a: MappedColumn<A>, _ b: MappedColumn<B>,
    _ c: MappedColumn<C>, _ d: MappedColumn<D>, _ e: MappedColumn<E>, _ f: MappedColumn<F>, _ g: MappedColumn<G>,
    _ h: MappedColumn<H>, _ i: MappedColumn<I>, _ j: MappedColumn<J>, _ k: MappedColumn<K>
  ) {
    let p = (
      Property<Root, A>(a), Property<Root, B>(b), Property<Root, C>(c), Property<Root, D>(d), Property<Root, E>(e),
      Property<Root, F>(f), Property<Root, G>(g), Property<Root, H>(h), Property<Root, I>(i), Property<Root, J>(j),
      Property<Root, K>(k)
    )
    self.init(columns: [
      p.0.column, p.1.column, p.2.column, p.3.column, p.4.column, p.5.column, p.6.column, p.7.column, p.8.column,
      p.9.column, p.10.column,
    ]) {
      make(
        try $0.read(0), try $0.read(1), try $0.read(2), try $0.read(3), try $0.read(4), try $0.read(5), try $0.read(6),
        try $0.read(7), try $0.read(8), try $0.read(9), try $0.read(10))
    } bind: {
      try p.0.bind($0, to: $1, 1)
      try p.1.bind($0, to: $1, 2)
      try p.2.bind($0, to: $1, 3)
      try p.3.bind($0, to: $1, 4)
      try p.4.bind($0, to: $1, 5)
      try p.5.bind($0, to: $1, 6)
      try p.6.bind($0, to: $1, 7)
      try p.7.bind($0, to: $1, 8)
      try p.8.bind($0, to: $1, 9)
      try p.9.bind($0, to: $1, 10)
      try p.10.bind($0, to: $1, 11)
    }
  }

  /// Maps 12 columns.
  @inlinable
  public convenience init<
    A: ValueConvertible, B: ValueConvertible, C: ValueConvertible, D: ValueConvertible, E: ValueConvertible,
    F: ValueConvertible, G: ValueConvertible, H: ValueConvertible, I: ValueConvertible, J: ValueConvertible,
    K: ValueConvertible, L: ValueConvertible
  >(
    _ make: @escaping @Sendable (A, B, C, D, E, F, G, H, I, J, K, L) -> Root, _ a: MappedColumn<A>,
    _ b: MappedColumn<B>, _ c: MappedColumn<C>, _ d: MappedColumn<D>, _ e: MappedColumn<E>, _ f: MappedColumn<F>,
    _ g: MappedColumn<G>, _ h: MappedColumn<H>, _ i: MappedColumn<I>, _ j: MappedColumn<J>, _ k: MappedColumn<K>,
    _ l: MappedColumn<L>
  ) {
    let p = (
      Property<Root, A>(a), Property<Root, B>(b), Property<Root, C>(c), Property<Root, D>(d), Property<Root, E>(e),
      Property<Root, F>(f), Property<Root, G>(g), Property<Root, H>(h), Property<Root, I>(i), Property<Root, J>(j),
      Property<Root, K>(k), Property<Root, L>(l)
    )
    self.init(columns: [
      p.0.column, p.1.column, p.2.column, p.3.column, p.4.column, p.5.column, p.6.column, p.7.column, p.8.column,
      p.9.column, p.10.column, p.11.column,
    ]) {
      make(
        try $0.read(0), try $0.read(1), try $0.read(2), try $0.read(3), try $0.read(4), try $0.read(5), try $0.read(6),
        try $0.read(7), try $0.read(8), try $0.read(9), try $0.read(10), try $0.read(11))
    } bind: {
      try p.0.bind($0, to: $1, 1)
      try p.1.bind($0, to: $1, 2)
      try p.2.bind($0, to: $1, 3)
      try p.3.bind($0, to: $1, 4)
      try p.4.bind($0, to: $1, 5)
      try p.5.bind($0, to: $1, 6)
      try p.6.bind($0, to: $1, 7)
      try p.7.bind($0, to: $1, 8)
      try p.8.bind($0, to: $1, 9)
      try p.9.bind($0, to: $1, 10)
      try p.10.bind($0, to: $1, 11)
      try p.11.bind($0, to: $1, 12)
    }
  }
}
