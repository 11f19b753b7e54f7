/// Stops the program with a message unless the caller kept to the contract.
///
/// `precondition` prints no message in a release build; this does. `Scripts/lint` refuses the bare form in libraries. The lists have
/// the same function for themselves and the modules above: neither they nor the store import each other.
func require(
  _ condition: Bool, _ message: @autoclosure () -> String, file: StaticString = #fileID, line: UInt = #line
) {
  if !condition { fatalError(message(), file: file, line: line) }
}
