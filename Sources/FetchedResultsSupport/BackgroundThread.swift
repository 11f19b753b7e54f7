/// A thread of its own.
///
/// It is not a Dispatch queue. On a machine with few processors, a query that computes for a long time on Dispatch's
/// shared threads blocks everybody else, including Swift's tasks and so the task that would cancel the query.
package enum BackgroundThread {
  /// Runs `body` on a new detached thread that handles no signals; returns false if the system can't start one.
  package static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    defer { pthread_attr_destroy(&attributes) }
    var all = sigset_t()
    var before = sigset_t()
    sigfillset(&all)
    pthread_sigmask(SIG_SETMASK, &all, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }

    let context = Unmanaged.passRetained(Body(body)).toOpaque()
    #if canImport(Darwin)
      var thread: pthread_t?
      let code = pthread_create(
        &thread, &attributes,
        { context in
          Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run()
          return nil
        }, context)
    #else
      var thread = pthread_t()
      let code = pthread_create(
        &thread, &attributes,
        { context in
          if let context { Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run() }
          return nil
        }, context)
    #endif
    if code != 0 { Unmanaged<Body>.fromOpaque(context).release() }
    return code == 0
  }

  private final class Body {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }
}
