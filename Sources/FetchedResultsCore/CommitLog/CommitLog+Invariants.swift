import FetchedResultsSupport
import Synchronization

extension CommitLog {
  /// The first broken invariant of the log and its cursors; nil if not found. For tests: it visits every commit that a
  /// cursor has not received. Nothing may be appended, and no cursor added or released meanwhile.
  func firstBrokenInvariant() -> String? {
    // The cursors are loaded outside the lock: releasing the last reference to one would run `deinit` there.
    let state = lock.withLock { self.state }
    let last = state.last
    if last.next != nil { return "the newest commit, \(last.number), has a next one" }
    if let called = state.called, called > last.number { return "a job was queued for \(called), after \(last.number)" }
    if state.isUrgent, state.called == nil { return "a job is urgent, but none is queued" }
    if state.screened > last.number { return "\(state.screened) was screened, after \(last.number)" }
    if state.unscreened < 0 || state.unscreened > Self.pause { return "\(state.unscreened) commits are not screened" }
    var questions: [OldStateQuestion: Int] = [:]
    for (number, weak) in state.cursors {
      if number >= state.nextCursor { return "cursor \(number) is not below the next one, \(state.nextCursor)" }
      guard let cursor = weak.cursor else { return "cursor \(number) was released, but not removed" }
      if cursor.number != number { return "cursor \(cursor.number) is recorded as \(number)" }
      if let broken = cursor.firstBrokenInvariant(upTo: last) { return "cursor \(number): \(broken)" }
      for question in cursor.questions { questions[question, default: 0] += 1 }
    }
    if questions != state.questions { return "the cursors ask \(questions.values), and not \(state.questions.values)" }
    return nil
  }
}

extension CommitCursor {
  fileprivate func firstBrokenInvariant(upTo end: CommitLog.Link) -> String? {
    let (position, number) = lock.withLock { (last, had.load(ordering: .acquiring)) }
    if position.number != number { return "it has received \(position.number), and not \(number)" }
    var link = position
    while let next = link.next {
      if next.number <= link.number { return "commit \(next.number) follows \(link.number)" }
      if next.commit == nil { return "commit \(next.number) is missing" }
      link = next
    }
    return link === end ? nil : "its commits end at \(link.number), and not at \(end.number)"
  }
}
