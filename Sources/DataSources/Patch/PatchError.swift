/// Why a ``Patch`` does not fit a list.
struct PatchError: Error, Hashable, CustomStringConvertible {
  let reason: String

  init(_ reason: String) { self.reason = reason }

  var description: String { "the patch does not fit: \(reason)" }
}
