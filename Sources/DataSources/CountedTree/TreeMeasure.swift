/// The element type of a ``CountedTree``, and the weight that it sums up in addition to the count.
///
/// Rows weigh 1 each. A section weighs as much as it has rows, so that the tree of sections finds the n-th row of the
/// whole list.
@usableFromInline package protocol TreeMeasure {
  /// The element type.
  associatedtype Element: Sendable
  /// The weight of one element.
  static func weight(of element: Element) -> Int
  /// The weight of consecutive elements in memory.
  static func weight(of elements: UnsafeBufferPointer<Element>) -> Int
  /// The largest number of elements in a leaf. An edit copies one leaf, a difference compares one leaf's rows.
  static var leafCapacity: Int { get }
}

extension TreeMeasure {
  /// The sum, one by one.
  @inlinable package static func weight(of elements: UnsafeBufferPointer<Element>) -> Int {
    var sum = 0
    for element in elements { sum += weight(of: element) }
    return sum
  }

  /// 64 elements; fewer if they are so large that copying them would cost more than reaching them, or if copying one
  /// means counting a reference elsewhere in memory.
  @inlinable package static var leafCapacity: Int {
    _isPOD(Element.self) ? max(16, min(64, 2048 / max(1, MemoryLayout<Element>.stride))) : 16
  }
}

/// Each element weighs 1.
@usableFromInline package enum UnitMeasure<Element: Sendable>: TreeMeasure {
  @inlinable package static func weight(of element: Element) -> Int { 1 }
  @inlinable package static func weight(of elements: UnsafeBufferPointer<Element>) -> Int { elements.count }
}

/// A section weighs as much as it has rows.
@usableFromInline package enum SectionMeasure<Item: Sendable>: TreeMeasure {
  @inlinable package static func weight(of element: Section<Item>) -> Int { element.items.count }
  @inlinable package static var leafCapacity: Int { 8 }
}
