import SQLiteStore

/// A filter as an SQL condition on the tables `item` and `list`.
struct FilterCondition {
  let sql: SQL

  /// - Parameter moment: The time until which items may have waited, and the zone in which days begin.
  init(_ filter: Filter, _ moment: Moment) {
    let zone = moment.zone
    var parts: [SQL] = []
    // As separate terms, which is what selects the indices of open items.
    switch filter.status ?? .open {
    case .open:
      parts.append("item.done = 0 AND item.archived = 0")
      if !filter.saysWait { parts.append("NOT \(Self.isWaiting(moment))") }
    case .done: parts.append("item.done = 1 AND item.archived = 0")
    case .all: parts.append("item.archived = 0")
    case .archived: parts.append("item.archived = 1")
    case .any: break
    }
    if !filter.isEmpty { parts.append(Self.sql(filter.condition, zone)) }
    sql = parts.joined(" AND ")
  }

  /// Whether an item is hidden at a moment.
  static func isWaiting(_ moment: Moment) -> SQL {
    """
    (item.wait IS NOT NULL
      AND item.wait > iif(length(item.wait) = 10, \(moment.today.description), \(moment.instant)))
    """
  }

  private static func sql(_ condition: Filter.Condition, _ zone: LocalZone) -> SQL {
    switch condition {
    case .all(let parts): parts.map { sql($0, zone) }.joined(" AND ")
    case .any(let parts): "(\(parts.map { sql($0, zone) }.joined(" OR ")))"
    // A comparison with a missing value is NULL, which NOT would leave as it is.
    case .not(let part): "((\(sql(part, zone))) IS NOT TRUE)"
    case .list(let name): "list.name = \(name)"
    case .tag(let tag):
      "EXISTS (SELECT 1 FROM item_tag AS tagged WHERE tagged.item = item.id AND tagged.tag = \(tag))"
    case .priority(let priority): "item.priority = \(priority?.rawValue ?? 0)"
    case .every(let every): "(item.every IS \(every?.nearest.rawValue) AND item.rhythm IS \(every?.rhythm))"
    case .wait(.any): "1"
    case .wait(.until(let date)): "item.wait IS \(date?.description)"
    case .due(nil, nil): "item.due IS NOT NULL"
    case .due(let after, let before): due(after, before, zone)
    case .completed(nil, nil): "item.completed IS NOT NULL"
    case .completed(let after, let before): "(\(moments("item.completed", after, before, zone).joined(" AND ")))"
    case .text(let words): SearchWords(words)?.condition ?? "1"
    }
  }

  private static func due(_ after: Due?, _ before: Due?, _ zone: LocalZone) -> SQL {
    // The day in the writer's zone is at most two days away from that in another zone, so the index can exclude the
    // rest.
    var near: [SQL] = []
    var days: [SQL] = ["length(item.due) = 10"]
    if let day = after?.day(in: zone) {
      if day.number - 3 >= CalendarDay.first { near.append("item.due_day > \(day.adding(days: -3).description)") }
      days.append("item.due > \(day.description)")
    }
    if let day = before?.day(in: zone) {
      if day.number + 3 <= CalendarDay.last { near.append("item.due_day < \(day.adding(days: 3).description)") }
      days.append("item.due < \(day.description)")
    }
    let moments = ["length(item.due) > 10"] + moments("item.due", after, before, zone)
    return "(\((near + ["((\(days.joined(" AND "))) OR (\(moments.joined(" AND "))))"]).joined(" AND ")))"
  }

  /// The conditions on a column of moments: texts that sort as time does.
  private static func moments(_ column: SQL, _ after: Due?, _ before: Due?, _ zone: LocalZone) -> [SQL] {
    var parts: [SQL] = []
    switch after {
    case .instant(let instant)?: parts.append("\(column) > \(instant)")
    // The last day of the calendar has no end.
    case .day(let day)? where day.number == CalendarDay.last: parts.append("0")
    case .day(let day)?: parts.append("\(column) >= \(zone.start(of: day.adding(days: 1)))")
    case nil: break
    }
    switch before {
    case .instant(let instant)?: parts.append("\(column) < \(instant)")
    case .day(let day)?: parts.append("\(column) < \(zone.start(of: day))")
    case nil: break
    }
    return parts
  }
}

extension [SQL] {
  /// The terms with an operator between them; "1" without terms.
  func joined(_ separator: SQL) -> SQL { isEmpty ? "1" : dropFirst().reduce(self[0]) { $0 + separator + $1 } }
}
