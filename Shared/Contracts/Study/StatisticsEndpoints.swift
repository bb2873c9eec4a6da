extension StudyAPI {
  static let statistics: [any Endpoint.Type] = [
    AddStudySessions.self, GetStudyStatistics.self, GetStudyCalendar.self, GetStudyHome.self,
  ]

  /// Appends time spent studying to the caller's log. The time of reviews and quizzes is in their own entries and is not
  /// sent again as a session. A session without time marks a set as opened.
  public struct AddStudySessions: Endpoint {
    public typealias Response = AddedSessions
    public static let operation = Operation.post(
      "/v1/study-sessions", "Add study time", idempotency: .acceptsKey, success: 201, problems: [.entryIDInUse],
      limits: .init(bodyBytes: 256 << 10)
    )
    /// 1 to 500, in any order.
    public var sessions: [NewStudySession]
    public init(sessions: [NewStudySession]) { self.sessions = sessions }
  }

  /// Days are the local days on which the study happened.
  public struct GetStudyStatistics: Endpoint {
    public typealias Response = StudyStatistics
    public static let operation = Operation.get(
      "/v1/stats", "Get the caller's study statistics", problems: [.planRequired], cost: .costly)
    /// The first day; by default 29 days before `to`.
    public var from: CalendarDate?
    /// The last day; by default today; at most 3660 days after `from`.
    public var to: CalendarDate?
    /// Only this set.
    public var set: StudySetID?
    /// Local time minus UTC, which decides what today is; by default that of the last entry.
    public var utcOffsetMinutes: UTCOffsetMinutes?
    public init(
      from: CalendarDate? = nil, to: CalendarDate? = nil, set: StudySetID? = nil,
      utcOffsetMinutes: UTCOffsetMinutes? = nil
    ) { (self.from, self.to, self.set, self.utcOffsetMinutes) = (from, to, set, utcOffsetMinutes) }
  }

  public struct GetStudyCalendar: Endpoint {
    public typealias Response = StudyCalendarPage
    public static let operation = Operation.get(
      "/v1/calendar", "Get the caller's study days and streak", problems: [.planRequired])
    /// The first day; by default 29 days before `to`.
    public var from: CalendarDate?
    /// The last day; by default today; at most 3660 days after `from`.
    public var to: CalendarDate?
    public var utcOffsetMinutes: UTCOffsetMinutes?
    public init(from: CalendarDate? = nil, to: CalendarDate? = nil, utcOffsetMinutes: UTCOffsetMinutes? = nil) {
      (self.from, self.to, self.utcOffsetMinutes) = (from, to, utcOffsetMinutes)
    }
  }

  public struct GetStudyHome: Endpoint {
    public typealias Response = StudyHome
    public static let operation = Operation.get(
      "/v1/home", "Get the caller's recent sets, due cards, streak and time today")
    public var utcOffsetMinutes: UTCOffsetMinutes?
    public init(utcOffsetMinutes: UTCOffsetMinutes? = nil) { self.utcOffsetMinutes = utcOffsetMinutes }
  }
}
