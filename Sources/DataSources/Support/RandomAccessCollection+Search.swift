extension RandomAccessCollection {
  /// The first index whose element satisfies a predicate that is false up to some index and true from there on.
  @inlinable package func partitioningIndex(where belongsInSecondPart: (Element) throws -> Bool) rethrows -> Index {
    var low = startIndex
    var length = count
    while length > 0 {
      let half = length / 2
      let middle = index(low, offsetBy: half)
      if try belongsInSecondPart(self[middle]) {
        length = half
      } else {
        low = index(after: middle)
        length -= half + 1
      }
    }
    return low
  }
}

extension [Int] {
  /// How many numbers from 0 up to `value` are not in this ascending array; nil if `value` itself is in it.
  package func rankOutside(_ value: Int) -> Int? {
    let index = partitioningIndex { $0 >= value }
    return index < count && self[index] == value ? nil : value - index
  }

  /// The number at index `rank` among the numbers from 0 on that are not in this ascending array of numbers.
  package func elementOutside(_ rank: Int) -> Int {
    // The number at `index` has `self[index] - index` numbers outside before it.
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      if self[middle] - middle > rank { high = middle } else { low = middle + 1 }
    }
    return rank + low
  }
}
