/// A stretch of study, as the devices record it.
public struct StudySession: Sendable, Hashable {
  /// Unique; a session counts once.
  public let id: String
  /// The function of study, such as flashcards or quiz.
  public let activity: String
  /// Milliseconds since 1970.
  public let startedAt: Int64
  /// Local time minus UTC where the study happened.
  public let utcOffsetMinutes: Int
  /// The local day, fixed when the study happened.
  public let day: StudyDay
  /// How long it took.
  public let milliseconds: Int64

  public init(
    id: String, activity: String, startedAt: Int64, utcOffsetMinutes: Int, day: StudyDay, milliseconds: Int64
  ) {
    self.id = id
    self.activity = activity
    self.startedAt = startedAt
    self.utcOffsetMinutes = utcOffsetMinutes
    self.day = day
    self.milliseconds = milliseconds
  }
}

/// Study time by day and activity: a fold of sessions that does not depend on their order.
public struct StudyCalendar: Sendable, Hashable {
  /// The study of one day.
  public struct Day: Sendable, Hashable {
    /// Milliseconds by activity.
    public fileprivate(set) var milliseconds: [String: Int64] = [:]
    public fileprivate(set) var sessions = 0
    /// When the first session began, in milliseconds since 1970.
    public fileprivate(set) var first = Int64.max
    /// When the last session began.
    public fileprivate(set) var last = Int64.min
    /// Local time minus UTC in the last session.
    public fileprivate(set) var utcOffsetMinutes = 0

    /// Milliseconds of all activities.
    public var total: Int64 { milliseconds.values.reduce(0) { Milliseconds.adding($1, to: $0) } }
  }

  public private(set) var days: [StudyDay: Day] = [:]
  private var ids: Set<String> = []

  public init() {}

  public init(_ sessions: some Sequence<StudySession>) {
    for session in sessions { add(session) }
  }

  /// Adds a session; one with a known id changes nothing, a negative duration counts as zero.
  public mutating func add(_ session: StudySession) {
    guard ids.insert(session.id).inserted else { return }
    var day = days[session.day] ?? Day()
    day.milliseconds[session.activity] = Milliseconds.adding(
      max(session.milliseconds, 0), to: day.milliseconds[session.activity] ?? 0)
    day.sessions += 1
    day.first = min(day.first, session.startedAt)
    // At the same time the greater offset, so that the order of sessions does not matter.
    if (session.startedAt, session.utcOffsetMinutes) > (day.last, day.utcOffsetMinutes) || day.sessions == 1 {
      (day.last, day.utcOffsetMinutes) = (session.startedAt, session.utcOffsetMinutes)
    }
    days[session.day] = day
  }

  /// The days of study from one to another, both included, in order.
  public func studied(from first: StudyDay, through last: StudyDay) -> [StudyDay] {
    days.keys.filter { $0 >= first && $0 <= last }.sorted()
  }

  /// The streak of a learner who is now in a zone.
  ///
  /// - Parameter time: Now, in milliseconds since 1970.
  public func streak(at time: Int64, utcOffsetMinutes: Int, rolloverHour: Int = StudyDay.defaultRollover) -> Streak {
    let today = StudyDay(at: time, utcOffsetMinutes: utcOffsetMinutes, rolloverHour: rolloverHour)
    return Streak(
      days: days.keys, excused: excusedDays(today: today, at: time, rolloverHour: rolloverHour), today: today)
  }

  /// Days without study that travel to the east took: by the clock of the place of the study before, the next study was
  /// still in time. From Los Angeles to Auckland, Monday evening is followed by Wednesday morning, 16 hours later.
  public func excusedDays(today: StudyDay, at time: Int64, rolloverHour: Int = StudyDay.defaultRollover)
    -> Set<StudyDay>
  {
    var excused: Set<StudyDay> = []
    for day in days.keys {
      // Zones are at most 26 hours apart, so travel takes no more than two days.
      for gap in 2...3 {
        let next = day.advanced(by: gap)
        let missing = (1..<gap).map { day.advanced(by: $0) }
        guard missing.allSatisfy({ days[$0] == nil }) else { continue }
        guard let arrival = days[next]?.first ?? (next == today ? time : nil) else { continue }
        // After a flight to the west, the study before may lie on an earlier day than the one before that.
        if isInTime(arrival, after: day, rolloverHour) || isInTime(arrival, after: day.advanced(by: -1), rolloverHour) {
          excused.formUnion(missing)
        }
      }
    }
    return excused
  }

  /// Whether a time is no later than the day after a day of study, by the clock of the day's last session.
  private func isInTime(_ time: Int64, after day: StudyDay, _ rolloverHour: Int) -> Bool {
    guard let content = days[day] else { return false }
    return StudyDay(at: time, utcOffsetMinutes: content.utcOffsetMinutes, rolloverHour: rolloverHour)
      <= day.advanced(by: 1)
  }
}
