import FetchedResultsSupport

/// Starts a program, which is looked for as a shell does, with its standard input, output and error. It handles signals
/// as any new process does, though the service ignores some and its threads block them.
///
/// Returns 0, or a number of `errno`.
func spawn(
  _ id: inout pid_t, _ arguments: [String], _ descriptors: [Int32],
  environment: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = environ
) -> Int32 {
  var actions = posix_spawn_file_actions_t()
  posix_spawn_file_actions_init(&actions)
  defer { posix_spawn_file_actions_destroy(&actions) }
  for (number, descriptor) in descriptors.enumerated() {
    posix_spawn_file_actions_adddup2(&actions, descriptor, Int32(number))
  }
  var attributes = posix_spawnattr_t()
  posix_spawnattr_init(&attributes)
  defer { posix_spawnattr_destroy(&attributes) }
  var (none, all) = (sigset_t(), sigset_t())
  sigemptyset(&none)
  sigfillset(&all)
  posix_spawnattr_setsigmask(&attributes, &none)
  posix_spawnattr_setsigdefault(&attributes, &all)
  posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
  var words = arguments.map { strdup($0) } + [nil]
  defer { for word in words { free(word) } }
  return posix_spawnp(&id, arguments[0], &actions, &attributes, &words, environment)
}
