/// A stretch of study.
public struct NewStudySession: Codable, Sendable, Equatable {
  /// A new random UUID, so that the session counts once, however often it is sent; chosen by the server when unset.
  public var id: String?
  public var function: StudyFunction
  public var set: StudySetID?
  /// When it began; now when unset, and not in the future.
  public var at: Timestamp?
  /// From 0 to 24 hours.
  public var milliseconds: Int64
  /// Local time minus UTC, which fixes the local day.
  public var utcOffsetMinutes: UTCOffsetMinutes

  public init(
    id: String? = nil, function: StudyFunction, set: StudySetID? = nil, at: Timestamp? = nil, milliseconds: Int64,
    utcOffsetMinutes: UTCOffsetMinutes
  ) {
    (self.id, self.function, self.set, self.at) = (id, function, set, at)
    (self.milliseconds, self.utcOffsetMinutes) = (milliseconds, utcOffsetMinutes)
  }
}

public struct AddedSessions: Codable, Sendable, Equatable {
  /// In the order of the request.
  public var ids: [String]

  public init(ids: [String]) { self.ids = ids }
}

public struct StudyStatistics: Codable, Sendable, Equatable {
  public struct OfFunction: Codable, Sendable, Equatable {
    public var function: StudyFunction
    public var milliseconds: Int64
    /// Reviews, sessions or quizzes.
    public var count: Int
    public var score: AnswerScore

    public init(function: StudyFunction, milliseconds: Int64, count: Int, score: AnswerScore) {
      (self.function, self.milliseconds, self.count, self.score) = (function, milliseconds, count, score)
    }
  }

  public struct OfSet: Codable, Sendable, Equatable {
    public var set: StudySetID
    public var milliseconds: Int64
    public var reviews: Int
    public var lastStudiedAt: Timestamp?
    /// Answers in quizzes.
    public var quizzes: AnswerScore
    public var mastery: CardMastery

    public init(
      set: StudySetID, milliseconds: Int64, reviews: Int, lastStudiedAt: Timestamp?, quizzes: AnswerScore,
      mastery: CardMastery
    ) {
      (self.set, self.milliseconds, self.reviews, self.lastStudiedAt) = (set, milliseconds, reviews, lastStudiedAt)
      (self.quizzes, self.mastery) = (quizzes, mastery)
    }
  }

  public var from: CalendarDate
  public var to: CalendarDate
  public var milliseconds: Int64
  public var functions: [OfFunction]
  /// The days with study, in order.
  public var days: [StudyDayTotals]
  /// Reviews at least a day and less than 21 days after the previous one of the same card.
  public var young: AnswerScore
  /// Reviews at least 21 days after the previous one of the same card.
  public var mature: AnswerScore
  /// Cards that become due on each of 30 days from today; overdue cards count for today.
  public var forecast: [Int]
  /// The mastery of all sets together.
  public var mastery: CardMastery
  /// The sets that the user sees, the most recently studied first.
  public var sets: [OfSet]

  public init(
    from: CalendarDate, to: CalendarDate, milliseconds: Int64, functions: [OfFunction], days: [StudyDayTotals],
    young: AnswerScore, mature: AnswerScore, forecast: [Int], mastery: CardMastery, sets: [OfSet]
  ) {
    (self.from, self.to, self.milliseconds, self.functions, self.days) = (from, to, milliseconds, functions, days)
    (self.young, self.mature, self.forecast, self.mastery, self.sets) = (young, mature, forecast, mastery, sets)
  }
}

/// Answers and how many of them were correct.
public struct AnswerScore: Codable, Sendable, Equatable {
  public var answers: Int
  public var correct: Int

  public init(answers: Int = 0, correct: Int = 0) { (self.answers, self.correct) = (answers, correct) }
}

public struct StudyDayTotals: Codable, Sendable, Equatable {
  public var date: CalendarDate
  public var milliseconds: Int64
  public var reviews: AnswerScore
  public var quizzes: AnswerScore
  /// Cards reviewed for the first time.
  public var newCards: Int

  public init(
    date: CalendarDate, milliseconds: Int64, reviews: AnswerScore = .init(), quizzes: AnswerScore = .init(),
    newCards: Int = 0
  ) {
    (self.date, self.milliseconds, self.reviews) = (date, milliseconds, reviews)
    (self.quizzes, self.newCards) = (quizzes, newCards)
  }
}

/// How well cards are known.
public struct CardMastery: Codable, Sendable, Equatable {
  /// From 0 to 1: the mean of the probability of recall now times how lasting the memory is; 0 for new cards.
  public var value: Double
  public var new: Int
  /// In learning or relearning steps.
  public var learning: Int
  /// In intervals, with a stability below 21 days.
  public var young: Int
  public var mature: Int

  public init(value: Double = 0, new: Int = 0, learning: Int = 0, young: Int = 0, mature: Int = 0) {
    (self.value, self.new, self.learning, self.young, self.mature) = (value, new, learning, young, mature)
  }
}

public struct StudyStreak: Codable, Sendable, Equatable {
  /// Days in a row up to today, also while today's study is still to come.
  public var current: Int
  public var longest: Int
  public var includesToday: Bool

  public init(current: Int, longest: Int, includesToday: Bool) {
    (self.current, self.longest, self.includesToday) = (current, longest, includesToday)
  }
}

public struct StudyCalendarPage: Codable, Sendable, Equatable {
  public var from: CalendarDate
  public var to: CalendarDate
  public var today: CalendarDate
  /// The days with study, in order.
  public var days: [StudyDayTotals]
  public var streak: StudyStreak

  public init(
    from: CalendarDate, to: CalendarDate, today: CalendarDate, days: [StudyDayTotals], streak: StudyStreak
  ) { (self.from, self.to, self.today, self.days, self.streak) = (from, to, today, days, streak) }
}

public struct StudyHome: Codable, Sendable, Equatable {
  public struct RecentSet: Codable, Sendable, Equatable {
    public var set: StudySetID
    public var title: String
    public var lastStudiedAt: Timestamp
    public var milliseconds: Int64
    public var reviews: Int
    public var due: DueCounts.Counts

    public init(
      set: StudySetID, title: String, lastStudiedAt: Timestamp, milliseconds: Int64, reviews: Int,
      due: DueCounts.Counts
    ) {
      (self.set, self.title, self.lastStudiedAt, self.milliseconds) = (set, title, lastStudiedAt, milliseconds)
      (self.reviews, self.due) = (reviews, due)
    }
  }

  public var today: StudyDayTotals
  public var streak: StudyStreak
  /// The due cards of all sets together.
  public var due: DueCounts.Counts
  /// The ten sets studied last, the last first.
  public var sets: [RecentSet]

  public init(today: StudyDayTotals, streak: StudyStreak, due: DueCounts.Counts, sets: [RecentSet]) {
    (self.today, self.streak, self.due, self.sets) = (today, streak, due, sets)
  }
}
