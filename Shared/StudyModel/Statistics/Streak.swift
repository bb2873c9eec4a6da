/// Days of study in a row.
public struct Streak: Sendable, Hashable {
  /// Days up to today; also while today's study is still to come.
  public let current: Int
  public let longest: Int
  /// Whether today is a day of study.
  public let includesToday: Bool

  /// - Parameters:
  ///   - days: Days of study in any order. Days after tomorrow, which a wrong clock makes, do not count. Tomorrow does,
  ///     because someone who flies west may have studied on a day that has not begun yet where they are now.
  ///   - excused: Days without study that do not interrupt, and do not count; see
  ///     ``StudyCalendar/excusedDays(today:at:rolloverHour:)``.
  ///   - today: The local day now.
  public init(days: some Sequence<StudyDay>, excused: Set<StudyDay> = [], today: StudyDay) {
    let studied = Set(days).filter { $0 <= today.advanced(by: 1) }
    let sorted = studied.sorted()
    var longest = 0
    var run = 0
    var previous: StudyDay?
    for day in sorted {
      let continues = previous.map { Self.areConnected($0, day, excused) } ?? false
      run = continues ? run + 1 : 1
      longest = max(longest, run)
      previous = day
    }
    self.longest = longest
    includesToday = studied.contains(today)
    // The last day begins the count if nothing but excused days and today are after it.
    let isAlive = previous.map { $0 >= today || Self.areConnected($0, today, excused) } ?? false
    current = isAlive ? run : 0
  }

  /// Whether all days between two are excused; few are, so the loop is short.
  private static func areConnected(_ one: StudyDay, _ other: StudyDay, _ excused: Set<StudyDay>) -> Bool {
    var day = one.advanced(by: 1)
    while day < other {
      if !excused.contains(day) { return false }
      day = day.advanced(by: 1)
    }
    return true
  }
}
