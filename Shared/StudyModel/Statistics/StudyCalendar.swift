/// A stretch of study, as the devices record it.
public struct StudySession: Sendable, Hashable {
  /// Unique; a session counts once.
  public let id: String
  /// The function of study, such as flashcards or quiz.
  public let activity: String
  /// The local day, fixed when the study happened.
  public let day: StudyDay
  /// Local time minus UTC where the study happened.
  public let utcOffsetMinutes: Int
  public let milliseconds: Int64

  public init(id: String, activity: String, day: StudyDay, utcOffsetMinutes: Int, milliseconds: Int64) {
    self.id = id
    self.activity = activity
    self.day = day
    self.utcOffsetMinutes = utcOffsetMinutes
    self.milliseconds = milliseconds
  }
}

/// Study time by day and activity: a fold of sessions that does not depend on their order.
public struct StudyCalendar: Sendable, Hashable {
  /// What a day holds.
  public struct Day: Sendable, Hashable {
    /// Milliseconds by activity.
    public fileprivate(set) var milliseconds: [String: Int64] = [:]
    public fileprivate(set) var sessions = 0
    fileprivate var leastOffset = Int.max
    fileprivate var greatestOffset = Int.min

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
    let offset = min(max(session.utcOffsetMinutes, -1080), 1080)
    day.leastOffset = min(day.leastOffset, offset)
    day.greatestOffset = max(day.greatestOffset, offset)
    days[session.day] = day
  }

  /// The days of study from one to another, both included, in order.
  public func studied(from first: StudyDay, through last: StudyDay) -> [StudyDay] {
    days.keys.filter { $0 >= first && $0 <= last }.sorted()
  }

  /// The streak of a learner who is now in a zone.
  public func streak(today: StudyDay, utcOffsetMinutes: Int) -> Streak {
    Streak(
      days: days.keys, excused: excusedDays(today: today, utcOffsetMinutes: utcOffsetMinutes), today: today)
  }

  /// Days without study of which travel to the east took at least six hours: from Los Angeles to Auckland, Monday evening
  /// is followed by Wednesday morning, 13 hours later. Changes to and from summer time excuse nothing.
  public func excusedDays(today: StudyDay, utcOffsetMinutes: Int) -> Set<StudyDay> {
    var excused: Set<StudyDay> = []
    for (day, content) in days {
      let missing = day.advanced(by: 1)
      let next = day.advanced(by: 2)
      guard days[missing] == nil else { continue }
      let arrival = days[next]?.greatestOffset ?? (next == today ? utcOffsetMinutes : nil)
      if let arrival, arrival >= content.leastOffset + 360 { excused.insert(missing) }
    }
    return excused
  }
}
