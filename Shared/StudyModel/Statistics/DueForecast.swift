/// How many cards become due on each of the next days. New cards are not due.
public struct DueForecast: Sendable, Hashable {
  /// The first of ``counts``.
  public let today: StudyDay
  /// The counts by day, from today on; cards that are overdue count for today.
  public let counts: [Int]

  /// - Parameters:
  ///   - due: When each card is due, in milliseconds since 1970; nil for new cards.
  ///   - days: How many days, brought into 1…3660.
  ///   - time: Now, in milliseconds since 1970.
  public init(
    due: some Sequence<Int64?>, days: Int, at time: Int64, utcOffsetMinutes: Int,
    rolloverHour: Int = StudyDay.defaultRollover
  ) {
    today = StudyDay(at: time, utcOffsetMinutes: utcOffsetMinutes, rolloverHour: rolloverHour)
    var counts = Array(repeating: 0, count: min(max(days, 1), 3660))
    for due in due {
      guard let due else { continue }
      let day = StudyDay(at: due, utcOffsetMinutes: utcOffsetMinutes, rolloverHour: rolloverHour)
      let index = max(day.number - today.number, 0)
      if index < counts.count { counts[index] += 1 }
    }
    self.counts = counts
  }
}
