import TodoCore

/// What `todo demo` was asked for.
struct DemoRequest: Sendable {
  /// What was said of the form.
  var form: Form
}

/// `todo demo`.
enum Demo {
  /// Shows the demonstration, and gives the exit code. As with ``Watch/run(_:)``, it runs off the main thread.
  static func run(_ request: DemoRequest) async throws -> Int32 {
    throw TodoError.failure("demo is not in this build")
  }
}
