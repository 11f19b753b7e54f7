package import TodoCore

/// A command that a service is asked to run: a JSON object in one line, and after it the standard input.
package struct RemoteRequest: Sendable {
  /// The path that it is posted to, and the types of what is sent and answered.
  package static let path = "/api/command"
  package static let type = "application/x-todo-command"

  package var arguments: [String]
  /// The environment of the command, of which the caller sends a few variables.
  package var environment: [(name: String, value: String)]
  package var input: [UInt8]

  var bytes: [UInt8] {
    let object: JSONValue = [
      "arguments": .array(arguments.map { .string($0) }),
      "environment": .object(JSONObject(environment.map { ($0.name, .string($0.value)) })),
    ]
    return Array("\(object.text)\n".utf8) + input
  }

  init(_ arguments: [String], _ variables: [(Caller.Variable, String)], input: [UInt8]) {
    (self.arguments, self.input) = (arguments, input)
    environment = variables.map { ($0.rawValue, $1) }
  }

  /// Reads a request, which may come from anybody who has the token.
  package init(_ bytes: [UInt8]) throws(TodoError) {
    let head = bytes.prefix { $0 != UInt8(ascii: "\n") }
    let object: JSONObject?
    do { object = try JSONValue.parse(Array(head)).object } catch {
      throw .usage("the first line is no JSON: \(error)")
    }
    let words = object?["arguments"]?.array?.map(\.string)
    let variables = object?["environment"]?.object?.members
    guard let words, let variables else {
      throw .usage("the first line is a JSON object with arguments, an array of texts, and environment, an object")
    }
    arguments = []
    for word in words {
      guard let word, !word.utf8.contains(0) else { throw .usage("an argument is a text without NUL") }
      arguments.append(word)
    }
    // A command without it would be one of this machine's own.
    environment = [(Caller.Variable.terminals.rawValue, "- - -")]
    for variable in variables {
      guard let known = Caller.Variable(rawValue: variable.key), let value = variable.value.string,
        Self.isValid(value, of: known)
      else { throw .usage("the environment has no \"\(variable.key)\" with this value") }
      environment.removeAll { $0.name == variable.key }
      environment.append((variable.key, value))
    }
    input = Array(bytes.dropFirst(head.count + 1))
  }

  private static func isValid(_ value: String, of variable: Caller.Variable) -> Bool {
    guard value.utf8.count <= 10_000, !value.utf8.contains(0) else { return false }
    switch variable {
    // The name of a zone is that of a file.
    case .zone:
      return value.utf8.count <= 100 && !value.hasPrefix("/") && !value.hasPrefix(":") && !value.contains("..")
    case .terminals: return !value.isEmpty && value.utf8.count <= 30
    case .settings, .answers, .terminal, .withoutColors: return true
    }
  }
}

/// What a command has printed, and its exit code: a JSON object in one line, and after it the output and the errors.
package struct RemoteAnswer: Sendable {
  package static let type = "application/x-todo-answer"

  package var code: Int32
  package var output: [UInt8]
  package var errors: [UInt8]

  package var bytes: [UInt8] {
    Array("{\"code\":\(code),\"output\":\(output.count)}\n".utf8) + output + errors
  }

  package init(code: Int32, output: [UInt8], errors: [UInt8]) {
    (self.code, self.output, self.errors) = (code, output, errors)
  }

  /// Nil if the bytes are no answer.
  init?(_ bytes: [UInt8]) {
    let head = bytes.prefix { $0 != UInt8(ascii: "\n") }
    let object = try? JSONValue.parse(Array(head)).object
    let rest = bytes.dropFirst(head.count + 1)
    guard let code = object?["code"]?.integer.flatMap({ Int32(exactly: $0) }),
      let count = object?["output"]?.integer, (0...Int64(rest.count)).contains(count)
    else { return nil }
    self.init(code: code, output: Array(rest.prefix(Int(count))), errors: Array(rest.dropFirst(Int(count))))
  }
}
