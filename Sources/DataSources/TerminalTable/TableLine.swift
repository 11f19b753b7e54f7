/// A line of a table: what stands above the rows of a section, a row, or what stands below.
enum TableLine: Hashable, Comparable {
  case header(Int)
  case row(ItemPath)
  case footer(Int)

  var section: Int {
    switch self {
    case .header(let section), .footer(let section): section
    case .row(let path): path.section
    }
  }

  private var rank: (Int, Int) {
    switch self {
    case .header(let section): (section, -1)
    case .row(let path): (path.section, path.item)
    case .footer(let section): (section, .max)
    }
  }

  static func < (lhs: TableLine, rhs: TableLine) -> Bool { lhs.rank < rhs.rank }
}

/// A line as the same thing in another list: what is left of a line while the list changes.
enum TableLineIdentity: Hashable {
  case header(SectionID)
  case row(AnyHashable)
  case footer(SectionID)
}
