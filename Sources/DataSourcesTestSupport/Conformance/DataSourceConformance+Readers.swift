import DataSources

extension DataSourceConformance {
  /// A reader that keeps reading, one that starts half-way with the list, and one that reads only the list.
  func reading(seed: UInt64, steps: Int) async throws -> [Violation] {
    var random = SeededGenerator(seed: seed)
    var list = start
    let source = try await make(list)
    var violations = oracle(source, list)
    let first = source.snapshot
    let recorder = UpdateRecorder(source.updates())
    var halfway: (following: Following<Source.Item>, recorder: UpdateRecorder<Source.Item>)?
    var frozen: [(snapshot: Snapshot<Source.Item>, contents: [SampleSection])] = []
    var numberOfChanges = 0

    for step in 0..<steps {
      if step == steps / 2 {
        let following = source.follow()
        halfway = (following, UpdateRecorder(following.updates))
      }
      let next = ErrandsAndCareer.changed(list, within: shapes, using: &random)
      if next.map(SampleSection.init) != list.map(SampleSection.init) { numberOfChanges += 1 }
      list = next
      try await change(source, list)
      violations += oracle(source, list)
      frozen.append((source.snapshot, contents(source.snapshot)))
      // Setting the same list again is not a change.
      if step.isMultiple(of: 5) { try await change(source, list) }
    }

    let last = contents(source.snapshot)
    let isTold = await recorder.waits(patience) { recorder in
      contents(recorder.updates.last?.new ?? first) == last
    }
    if !isTold { violations.append(Violation(.chain, "a reader is not told the last change")) }
    violations += chain(recorder.updates, from: first)
    violations += recorder.updates.flatMap(laws)
    if recorder.updates.count > numberOfChanges {
      violations.append(
        Violation(
          .frugal, "more updates than changes", "\(recorder.updates.count) for \(numberOfChanges)"))
    }
    if let halfway {
      let isTold = await halfway.recorder.waits(patience) { recorder in
        contents(recorder.updates.last?.new ?? halfway.following.snapshot) == last
      }
      if !isTold { violations.append(Violation(.chain, "a reader is not told the last change", "begun half-way")) }
      violations += chain(halfway.recorder.updates, from: halfway.following.snapshot)
    }
    for (step, taken) in frozen.enumerated() where contents(taken.snapshot) != taken.contents {
      violations.append(Violation(.frozen, "a snapshot changed", "the one of step \(step)"))
    }
    return violations
  }

  /// A reader that stalls from the beginning.
  func stalling(seed: UInt64, steps: Int) async throws -> [Violation] {
    var random = SeededGenerator(seed: seed &+ 1)
    var list = start
    let source = try await make(list)
    let first = source.snapshot
    let stalled = source.updates()
    let recorder = UpdateRecorder(source.updates())
    for _ in 0..<steps {
      list = ErrandsAndCareer.changed(list, within: shapes, using: &random)
      try await change(source, list)
    }
    let middle = contents(source.snapshot)
    var violations: [Violation] = []

    // What it missed is one update, if any change remains; the next update is the change after that.
    let late = UpdateRecorder(stalled)
    if contents(first) != middle {
      if await !late.waits(patience, for: { !$0.updates.isEmpty }) {
        violations.append(Violation(.chain, "a reader that stalled is told nothing"))
      } else if contents(late.updates[0].new) != middle {
        violations.append(Violation(.chain, "more than one update waits for a reader"))
      }
    }
    while list.map(SampleSection.init) == middle {
      list = ErrandsAndCareer.changed(list, within: shapes, using: &random)
    }
    try await change(source, list)
    let last = contents(source.snapshot)
    for recorder in [late, recorder] {
      if await !recorder.waits(patience, for: { contents($0.updates.last?.new ?? first) == last }) {
        violations.append(Violation(.chain, "a reader is not told the last change", "after one stalled"))
      }
      violations += chain(recorder.updates, from: first)
      violations += recorder.updates.flatMap(laws)
    }
    return violations
  }

  /// Readers that end, or never start, beside one that keeps reading.
  func leaving() async throws -> [Violation] {
    let list = start
    let source = try await make(list)
    let first = source.snapshot
    let recorder = UpdateRecorder(source.updates())
    let cancelled = UpdateRecorder(source.updates())
    _ = source.updates()
    // Long enough for it to wait for its first update, and to be cancelled during the wait.
    try await Task.sleep(for: .milliseconds(5))
    cancelled.cancel()
    _ = await cancelled.waits(patience) { $0.hasEnded }
    var violations: [Violation] = []
    if !cancelled.hasEnded { violations.append(Violation(.chain, "a reader that is cancelled does not end")) }
    var random = SeededGenerator(seed: 3)
    var next = list
    while next.map(SampleSection.init) == list.map(SampleSection.init) {
      next = ErrandsAndCareer.changed(list, within: shapes, using: &random)
    }
    try await change(source, next)
    let last = contents(source.snapshot)
    if await !recorder.waits(patience, for: { contents($0.updates.last?.new ?? first) == last }) {
      violations.append(Violation(.chain, "a reader ends with another"))
    }
    return violations
  }

  private func chain(_ updates: [Update<Source.Item>], from start: Snapshot<Source.Item>) -> [Violation] {
    var violations: [Violation] = []
    var last = contents(start)
    for (number, update) in updates.enumerated() {
      if contents(update.old) != last {
        let rule = number == 0 ? "the first update does not start at the call" : "the old list is not the last new one"
        violations.append(Violation(.chain, rule, "at update \(number)"))
      }
      last = contents(update.new)
    }
    return violations
  }
}
