// Written out for the usual numbers of columns: the same as the initializer over a parameter pack, which serves the rest.
// The optimiser does not unroll packs, and going through one costs a row of five columns 40 ns in 230.

extension Mapping {
  /// Maps 1 column.
  @inlinable
  public convenience init<A: ValueConvertible>(
    _ make: @escaping @Sendable (A) -> Root, _ a: MappedColumn<A>
  ) {
    self.init(columns: [.init(a)]) { make(try $0.read(0)) }
  }

  /// Maps 2 columns.
  @inlinable
  public convenience init<A: ValueConvertible, B: ValueConvertible>(
    _ make: @escaping @Sendable (A, B) -> Root, _ a: MappedColumn<A>, _ b: MappedColumn<B>
  ) {
    self.init(columns: [.init(a), .init(b)]) { make(try $0.read(0), try $0.read(1)) }
  }

  /// Maps 3 columns.
  @inlinable
  public convenience init<A: ValueConvertible, B: ValueConvertible, C: ValueConvertible>(
    _ make: @escaping @Sendable (A, B, C) -> Root, _ a: MappedColumn<A>, _ b: MappedColumn<B>, _ c: MappedColumn<C>
  ) {
    self.init(columns: [.init(a), .init(b), .init(c)]) { make(try $0.read(0), try $0.read(1), try $0.read(2)) }
  }

  /// Maps 4 columns.
  @inlinable
  public convenience init<A: ValueConvertible, B: ValueConvertible, C: ValueConvertible, D: ValueConvertible>(
    _ make: @escaping @Sendable (A, B, C, D) -> Root, _ a: MappedColumn<A>, _ b: MappedColumn<B>, _ c: MappedColumn<C>, _ d: MappedColumn<D>
  ) {
    self.init(columns: [.init(a), .init(b), .init(c), .init(d)]) { make(try $0.read(0), try $0.read(1), try $0.read(2), try $0.read(3)) }
  }

  /// Maps 5 columns.
  @inlinable
  public convenience init<A: ValueConvertible, B: ValueConvertible, C: ValueConvertible, D: ValueConvertible, E: ValueConvertible>(
    _ make: @escaping @Sendable (A, B, C, D, E) -> Root, _ a: MappedColumn<A>, _ b: MappedColumn<B>, _ c: MappedColumn<C>, _ d: MappedColumn<D>, _ e: MappedColumn<E>
  ) {
    self.init(columns: [.init(a), .init(b), .init(c), .init(d), .init(e)]) { make(try $0.read(0), try $0.read(1), try $0.read(2), try $0.read(3), try $0.read(4)) }
  }

  /// Maps 6 columns.
  @inlinable
  public convenience init<A: ValueConvertible, B: ValueConvertible, C: ValueConvertible, D: ValueConvertible, E: ValueConvertible, F: ValueConvertible>(
    _ make: @escaping @Sendable (A, B, C, D, E, F) -> Root, _ a: MappedColumn<A>, _ b: MappedColumn<B>, _ c: MappedColumn<C>, _ d: MappedColumn<D>, _ e: MappedColumn<E>, _ f: MappedColumn<F>
  ) {
    self.init(columns: [.init(a), .init(b), .init(c), .init(d), .init(e), .init(f)]) { make(try $0.read(0), try $0.read(1), try $0.read(2), try $0.read(3), try $0.read(4), try $0.read(5)) }
  }

  /// Maps 7 columns.
  @inlinable
  public convenience init<A: ValueConvertible, B: ValueConvertible, C: ValueConvertible, D: ValueConvertible, E: ValueConvertible, F: ValueConvertible, G: ValueConvertible>(
    _ make: @escaping @Sendable (A, B, C, D, E, F, G) -> Root, _ a: MappedColumn<A>, _ b: MappedColumn<B>, _ c: MappedColumn<C>, _ d: MappedColumn<D>, _ e: MappedColumn<E>, _ f: MappedColumn<F>, _ g: MappedColumn<G>
  ) {
    self.init(columns: [.init(a), .init(b), .init(c), .init(d), .init(e), .init(f), .init(g)]) { make(try $0.read(0), try $0.read(1), try $0.read(2), try $0.read(3), try $0.read(4), try $0.read(5), try $0.read(6)) }
  }

  /// Maps 8 columns.
  @inlinable
  public convenience init<A: ValueConvertible, B: ValueConvertible, C: ValueConvertible, D: ValueConvertible, E: ValueConvertible, F: ValueConvertible, G: ValueConvertible, H: ValueConvertible>(
    _ make: @escaping @Sendable (A, B, C, D, E, F, G, H) -> Root, _ a: MappedColumn<A>, _ b: MappedColumn<B>, _ c: MappedColumn<C>, _ d: MappedColumn<D>, _ e: MappedColumn<E>, _ f: MappedColumn<F>, _ g: MappedColumn<G>, _ h: MappedColumn<H>
  ) {
    self.init(columns: [.init(a), .init(b), .init(c), .init(d), .init(e), .init(f), .init(g), .init(h)]) { make(try $0.read(0), try $0.read(1), try $0.read(2), try $0.read(3), try $0.read(4), try $0.read(5), try $0.read(6), try $0.read(7)) }
  }

  /// Maps 9 columns.
  @inlinable
  public convenience init<A: ValueConvertible, B: ValueConvertible, C: ValueConvertible, D: ValueConvertible, E: ValueConvertible, F: ValueConvertible, G: ValueConvertible, H: ValueConvertible, I: ValueConvertible>(
    _ make: @escaping @Sendable (A, B, C, D, E, F, G, H, I) -> Root, _ a: MappedColumn<A>, _ b: MappedColumn<B>, _ c: MappedColumn<C>, _ d: MappedColumn<D>, _ e: MappedColumn<E>, _ f: MappedColumn<F>, _ g: MappedColumn<G>, _ h: MappedColumn<H>, _ i: MappedColumn<I>
  ) {
    self.init(columns: [.init(a), .init(b), .init(c), .init(d), .init(e), .init(f), .init(g), .init(h), .init(i)]) { make(try $0.read(0), try $0.read(1), try $0.read(2), try $0.read(3), try $0.read(4), try $0.read(5), try $0.read(6), try $0.read(7), try $0.read(8)) }
  }

  /// Maps 10 columns.
  @inlinable
  public convenience init<A: ValueConvertible, B: ValueConvertible, C: ValueConvertible, D: ValueConvertible, E: ValueConvertible, F: ValueConvertible, G: ValueConvertible, H: ValueConvertible, I: ValueConvertible, J: ValueConvertible>(
    _ make: @escaping @Sendable (A, B, C, D, E, F, G, H, I, J) -> Root, _ a: MappedColumn<A>, _ b: MappedColumn<B>, _ c: MappedColumn<C>, _ d: MappedColumn<D>, _ e: MappedColumn<E>, _ f: MappedColumn<F>, _ g: MappedColumn<G>, _ h: MappedColumn<H>, _ i: MappedColumn<I>, _ j: MappedColumn<J>
  ) {
    self.init(columns: [.init(a), .init(b), .init(c), .init(d), .init(e), .init(f), .init(g), .init(h), .init(i), .init(j)]) { make(try $0.read(0), try $0.read(1), try $0.read(2), try $0.read(3), try $0.read(4), try $0.read(5), try $0.read(6), try $0.read(7), try $0.read(8), try $0.read(9)) }
  }

  /// Maps 11 columns.
  @inlinable
  public convenience init<A: ValueConvertible, B: ValueConvertible, C: ValueConvertible, D: ValueConvertible, E: ValueConvertible, F: ValueConvertible, G: ValueConvertible, H: ValueConvertible, I: ValueConvertible, J: ValueConvertible, K: ValueConvertible>(
    _ make: @escaping @Sendable (A, B, C, D, E, F, G, H, I, J, K) -> Root, _ a: MappedColumn<A>, _ b: MappedColumn<B>, _ c: MappedColumn<C>, _ d: MappedColumn<D>, _ e: MappedColumn<E>, _ f: MappedColumn<F>, _ g: MappedColumn<G>, _ h: MappedColumn<H>, _ i: MappedColumn<I>, _ j: MappedColumn<J>, _ k: MappedColumn<K>
  ) {
    self.init(columns: [.init(a), .init(b), .init(c), .init(d), .init(e), .init(f), .init(g), .init(h), .init(i), .init(j), .init(k)]) { make(try $0.read(0), try $0.read(1), try $0.read(2), try $0.read(3), try $0.read(4), try $0.read(5), try $0.read(6), try $0.read(7), try $0.read(8), try $0.read(9), try $0.read(10)) }
  }

  /// Maps 12 columns.
  @inlinable
  public convenience init<A: ValueConvertible, B: ValueConvertible, C: ValueConvertible, D: ValueConvertible, E: ValueConvertible, F: ValueConvertible, G: ValueConvertible, H: ValueConvertible, I: ValueConvertible, J: ValueConvertible, K: ValueConvertible, L: ValueConvertible>(
    _ make: @escaping @Sendable (A, B, C, D, E, F, G, H, I, J, K, L) -> Root, _ a: MappedColumn<A>, _ b: MappedColumn<B>, _ c: MappedColumn<C>, _ d: MappedColumn<D>, _ e: MappedColumn<E>, _ f: MappedColumn<F>, _ g: MappedColumn<G>, _ h: MappedColumn<H>, _ i: MappedColumn<I>, _ j: MappedColumn<J>, _ k: MappedColumn<K>, _ l: MappedColumn<L>
  ) {
    self.init(columns: [.init(a), .init(b), .init(c), .init(d), .init(e), .init(f), .init(g), .init(h), .init(i), .init(j), .init(k), .init(l)]) { make(try $0.read(0), try $0.read(1), try $0.read(2), try $0.read(3), try $0.read(4), try $0.read(5), try $0.read(6), try $0.read(7), try $0.read(8), try $0.read(9), try $0.read(10), try $0.read(11)) }
  }
}
