/// Stops the program with a message if a condition is false.
///
/// `precondition` prints no message in a release build; this does. `Scripts/lint` refuses the bare form in libraries.
/// This is public because inlinable code of other modules calls it.
@inlinable public func require(
  _ condition: Bool, _ message: @autoclosure () -> String, file: StaticString = #fileID, line: UInt = #line
) {
  if !condition { fatalError(message(), file: file, line: line) }
}
