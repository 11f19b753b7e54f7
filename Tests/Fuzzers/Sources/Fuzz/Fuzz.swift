#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Gives libFuzzer the check that FUZZ_TARGET names: one program for all, because building it takes minutes.
///
/// It calls libFuzzer instead of using libFuzzer's own `main`: SwiftPM would also link that into the tool that embeds
/// the schema.
@main enum Fuzz {
  static func main() {
    guard let name = getenv("FUZZ_TARGET").map({ String(cString: $0) }), Check(rawValue: name) != nil else {
      print("fuzz: FUZZ_TARGET is one of \(Check.allCases.map(\.rawValue).joined(separator: ", "))")
      exit(64)
    }
    var count = CommandLine.argc
    var arguments = CommandLine.unsafeArgv
    exit(runDriver(&count, &arguments, run))
  }

  /// A function of C can't capture anything, so what is checked is kept here.
  private static let check = getenv("FUZZ_TARGET").flatMap { Check(rawValue: String(cString: $0)) }

  private static let run: Callback = { start, count in
    do {
      try check?.run(Array(UnsafeBufferPointer(start: start, count: count)))
    } catch {
      fatalError("FOUND: \(error)")
    }
    return 0
  }
}

private typealias Callback = @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
private typealias Arguments = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>

@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
  _ count: UnsafeMutablePointer<CInt>, _ arguments: UnsafeMutablePointer<Arguments>, _ callback: Callback
) -> CInt
