/// Jobs in order, from the first one.
struct JobQueue<Job> {
  // From `first`. A job that was taken is removed from the array at once, because it may hold a list.
  private var jobs: [Job?] = []
  private var first = 0

  var count: Int { jobs.count - first }

  mutating func append(_ job: Job) { jobs.append(job) }

  mutating func prepend(_ job: Job) {
    if first > 0 {
      first -= 1
      jobs[first] = job
    } else {
      jobs.insert(job, at: 0)
    }
  }

  mutating func popFirst() -> Job? {
    guard first < jobs.count, let job = jobs[first] else { return nil }
    jobs[first] = nil
    first += 1
    if first == jobs.count {
      jobs.removeAll(keepingCapacity: true)
      first = 0
    } else if first > 64, first > jobs.count / 2 {
      jobs.removeFirst(first)
      first = 0
    }
    return job
  }
}
