import DataSources

/// A line of a table: the header of a section, a row, or the footer of a section.
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

/// The identity of a line, by which it is found again after the list has changed.
enum TableLineIdentity: Hashable {
  case header(SectionID)
  case row(AnyHashable)
  case footer(SectionID)
}
