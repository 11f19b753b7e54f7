import SQLiteStore

/// A filter as an SQL condition on the tables `item` and `list`.
struct FilterCondition {
  let sql: SQL

  /// - Parameter moment: The time until which items may have waited, and the zone in which days begin.
  init(_ filter: Filter, _ moment: Moment) {
    let zone = moment.zone
    var parts: [SQL] = []
    switch filter.status ?? .open {
    case .open:
      parts.append("item.done = 0 AND item.archived = 0")
      if filter.wait.isEmpty { parts.append("NOT \(Self.isWaiting(moment))") }
    case .done: parts.append("item.done = 1 AND item.archived = 0")
    case .all: parts.append("item.archived = 0")
    case .archived: parts.append("item.archived = 1")
    case .any: break
    }
    for name in filter.lists { parts.append("list.name = \(name)") }
    for tag in filter.tags {
      parts.append("EXISTS (SELECT 1 FROM item_tag AS tagged WHERE tagged.item = item.id AND tagged.tag = \(tag))")
    }
    for priority in filter.priorities { parts.append("item.priority = \(priority?.rawValue ?? 0)") }
    for due in filter.due { parts.append(Self.isDue(due, zone)) }
    for due in filter.dueBefore { parts.append(Self.isDue(before: due, zone)) }
    for every in filter.every {
      parts.append("item.every IS \(every?.nearest.rawValue) AND item.rhythm IS \(every?.rhythm)")
    }
    for wait in filter.wait {
      switch wait {
      case .any: break
      case .until(let date): parts.append("item.wait IS \(date?.description)")
      }
    }
    if let text = SearchWords(filter.text) { parts.append(text.condition) }
    sql = parts.isEmpty ? "1" : parts.dropFirst().reduce(parts[0]) { $0 + " AND " + $1 }
  }

  /// Whether an item is hidden at a moment.
  static func isWaiting(_ moment: Moment) -> SQL {
    """
    (item.wait IS NOT NULL
      AND item.wait > iif(length(item.wait) = 10, \(moment.today.description), \(moment.instant)))
    """
  }

  private static func isDue(_ due: Due?, _ zone: LocalZone) -> SQL {
    switch due {
    case nil: return "item.due IS NULL"
    case .instant(let instant)?: return "item.due = \(instant)"
    case .day(let day)?:
      let start = zone.start(of: day)
      // Moments are text that sorts as time does, and longer than days. The last day of the calendar has no end.
      let isBefore: SQL =
        day.number == CalendarDay.last ? "1" : "item.due < \(zone.start(of: day.adding(days: 1)))"
      return """
        (item.due = \(day.description)
          OR (length(item.due) > 10 AND item.due >= \(start) AND \(isBefore)))
        """
    }
  }

  private static func isDue(before due: Due, _ zone: LocalZone) -> SQL {
    let day = due.day(in: zone)
    let limit = due.start(in: zone)
    // The day in the writer's zone is at most two days away from that in another zone, so the index can exclude the
    // rest.
    let isNear: SQL =
      day.number + 3 > CalendarDay.last ? "item.due IS NOT NULL" : "item.due_day < \(day.adding(days: 3).description)"
    return """
      (\(isNear)
        AND ((length(item.due) = 10 AND item.due < \(day.description))
          OR (length(item.due) > 10 AND item.due < \(limit))))
      """
  }
}
