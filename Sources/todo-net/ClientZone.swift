import TodoCore

extension TodoStore {
  /// The same store for a client in another zone than that of this machine: dates that it types are those of its clock.
  ///
  /// - Parameter zone: The zone's name and, for one that this machine doesn't know, how many seconds its clock is ahead
  ///   of UTC: `Asia/Calcutta 19800`. Nil for the zone of this machine.
  func inZone(_ zone: String?) throws(TodoError) -> TodoStore {
    guard let zone, !Self.isOwnZone(zone) else { return self }
    let parts = zone.split(separator: " ").map(String.init)
    if let named = NamedZone(name: parts[0]) { return inZone(.named(named)) }
    if parts.count == 2, let seconds = Int(parts[1]), abs(seconds) <= 86_400 { return inZone(.fixed(seconds: seconds)) }
    throw .usage("there is no time zone \"\(zone)\"; write it as in Europe/Berlin")
  }

  /// Whether a client's zone is that of this machine.
  static func isOwnZone(_ zone: String?) -> Bool {
    guard let name = zone?.split(separator: " ").first else { return true }
    // Browsers say UTC where many machines say Etc/UTC.
    return [String(name), "Etc/\(name)"].contains(Platform.zoneName ?? "")
  }
}
