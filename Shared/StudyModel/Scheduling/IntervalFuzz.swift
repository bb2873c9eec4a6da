/// A small change of intervals, so that cards learned together do not stay together.
///
/// The ranges are those of py-fsrs: none below 2.5 days, otherwise ±(1 + 15 % of the part from 2.5 to 7 days + 10 % of
/// the part from 7 to 20 + 5 % of the part above). Within the range the interval is determined by the card and the
/// number of its reviews: FNV-1a (64 bits) over the card's id in UTF-8, a zero byte, and the number as eight bytes, the
/// least significant first; the hash is the seed of SplitMix64, whose first output `x` gives `minimum + ⌊x · count /
/// 2⁶⁴⌋`.
enum IntervalFuzz {
  /// The intervals that may come of one, in days; nil if it stays as it is.
  static func range(days: Int, maximum: Int) -> ClosedRange<Int>? {
    let interval = Double(days)
    guard interval >= 2.5 else { return nil }
    var delta = 1.0
    for (start, end, share) in [(2.5, 7.0, 0.15), (7.0, 20.0, 0.1), (20.0, Double.infinity, 0.05)] {
      delta += share * max(min(interval, end) - start, 0)
    }
    let longest = min(Int((interval + delta).rounded(.toNearestOrEven)), maximum)
    let shortest = min(max(2, Int((interval - delta).rounded(.toNearestOrEven))), longest)
    return shortest...longest
  }

  static func apply(days: Int, maximum: Int, cardID: String, reps: Int) -> Int {
    guard let range = range(days: days, maximum: maximum) else { return days }
    var hash = StableHash()
    hash.combine(cardID)
    hash.combine(UInt64(truncatingIfNeeded: reps))
    var random = SeededRandom(seed: hash.value)
    return range.lowerBound + random.below(range.count)
  }
}
