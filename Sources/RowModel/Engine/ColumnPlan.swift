/// The positions of a mapping's columns in a statement's result.
@usableFromInline
package struct ColumnPlan {
  /// The mapping, kept alive so that no other one can get its address.
  private var owner: AnyObject?
  @usableFromInline package private(set) var address: UnsafeRawPointer?
  /// The index of each mapped column, or nil if they come first and in order.
  @usableFromInline package private(set) var indices: UnsafeMutablePointer<Int32>?
  /// How many times the statement had been compiled when the plan was made.
  private var preparations: Int32 = 0

  init() {}

  package mutating func suspend() { address = nil }

  package mutating func resume(for owner: AnyObject, _ preparations: Int32) -> Bool {
    guard self.owner === owner, self.preparations == preparations else { return false }
    address = UnsafeRawPointer(Unmanaged.passUnretained(owner).toOpaque())
    return true
  }

  package mutating func set(_ owner: AnyObject, _ indices: [Int32]?, _ preparations: Int32) {
    forget()
    self.owner = owner
    self.preparations = preparations
    address = UnsafeRawPointer(Unmanaged.passUnretained(owner).toOpaque())
    if let indices {
      let copy = UnsafeMutablePointer<Int32>.allocate(capacity: indices.count)
      copy.initialize(from: indices, count: indices.count)
      self.indices = copy
    }
  }

  package mutating func forget() {
    owner = nil
    address = nil
    indices?.deallocate()
    indices = nil
  }
}
