/// An answer to a card.
public struct NewReview: Codable, Sendable, Equatable {
  /// A new random UUID, so that the review counts once, however often it is sent; chosen by the server when unset.
  public var id: String?
  public var set: StudySetID
  public var card: CardID
  public var rating: AnswerRating
  /// When it was given; now when unset, and not in the future.
  public var at: Timestamp?
  /// How long it took; from 0 to 24 hours.
  public var milliseconds: Int64
  /// Local time minus UTC, which fixes the local day.
  public var utcOffsetMinutes: UTCOffsetMinutes

  public init(
    id: String? = nil, set: StudySetID, card: CardID, rating: AnswerRating, at: Timestamp? = nil, milliseconds: Int64,
    utcOffsetMinutes: UTCOffsetMinutes
  ) {
    (self.id, self.set, self.card, self.rating, self.at) = (id, set, card, rating, at)
    (self.milliseconds, self.utcOffsetMinutes) = (milliseconds, utcOffsetMinutes)
  }
}

/// 1 again, 2 hard, 3 good, 4 easy.
public struct AnswerRating: BoundedInteger {
  public static let range = 1...4
  public let value: Int
  public init(checked: Int) { value = checked }
  public static var example: Self { Self(checked: 3) }
}

/// Local time minus UTC, from −18 to 18 hours.
public struct UTCOffsetMinutes: BoundedInteger {
  public static let range = -1080...1080
  public let value: Int
  public init(checked: Int) { value = checked }
  public static var example: Self { Self(checked: 60) }
}

public struct ReviewedCards: Codable, Sendable, Equatable {
  /// The ids of the reviews, in their order.
  public var ids: [String]
  /// The schedules of the reviewed cards, each once.
  public var schedules: [CardSchedule]

  public init(ids: [String], schedules: [CardSchedule]) { (self.ids, self.schedules) = (ids, schedules) }
}

/// The schedule that results from a user's reviews of a card.
public struct CardSchedule: Codable, Sendable, Equatable {
  public var card: CardID
  public var set: StudySetID
  public var stage: CardStage
  /// The learning step, from 0; unset in other stages.
  public var step: Int?
  /// Days after which the probability of recall has fallen to 90 %; unset for a new card.
  public var stability: Double?
  /// From 1 (easy) to 10 (hard); unset for a new card.
  public var difficulty: Double?
  /// Unset for a new card.
  public var due: Timestamp?
  public var lastReview: Timestamp?
  public var reviews: Int
  /// How often the card was forgotten after it had been learned.
  public var lapses: Int

  public init(
    card: CardID, set: StudySetID, stage: CardStage, step: Int? = nil, stability: Double? = nil,
    difficulty: Double? = nil, due: Timestamp? = nil, lastReview: Timestamp? = nil, reviews: Int, lapses: Int
  ) {
    (self.card, self.set, self.stage, self.step, self.stability) = (card, set, stage, step, stability)
    (self.difficulty, self.due, self.lastReview) = (difficulty, due, lastReview)
    (self.reviews, self.lapses) = (reviews, lapses)
  }
}

public enum CardStage: String, WireEnum {
  /// Never reviewed.
  case new
  /// In the learning steps, minutes apart.
  case learning
  /// In intervals of days.
  case review
  /// In the relearning steps, after it was forgotten.
  case relearning
}

public struct DueCards: Codable, Sendable, Equatable {
  public var counts: DueCounts.Counts
  public var cards: [DueCard]

  public init(counts: DueCounts.Counts, cards: [DueCard]) { (self.counts, self.cards) = (counts, cards) }
}

/// A card with its schedule and what each rating would make of it.
public struct DueCard: Codable, Sendable, Equatable {
  public var schedule: CardSchedule
  /// The card's fields, such as `front` and `back`, as they are synchronized.
  public var fields: SyncFields
  public var intervals: RatingIntervals

  public init(schedule: CardSchedule, fields: SyncFields, intervals: RatingIntervals) {
    (self.schedule, self.fields, self.intervals) = (schedule, fields, intervals)
  }
}

/// Seconds until the card would be due again, by rating.
public struct RatingIntervals: Codable, Sendable, Equatable {
  public var again: Int64
  public var hard: Int64
  public var good: Int64
  public var easy: Int64

  public init(again: Int64, hard: Int64, good: Int64, easy: Int64) {
    (self.again, self.hard, self.good, self.easy) = (again, hard, good, easy)
  }
}

/// Due cards of the sets that the user sees.
public struct DueCounts: Codable, Sendable, Equatable {
  public struct Counts: Codable, Sendable, Equatable {
    /// Due cards in learning or relearning steps.
    public var learning: Int
    /// Due cards in intervals of days.
    public var review: Int
    /// New cards that the day's limit leaves; the limit is one for all sets.
    public var new: Int
    /// Cards that become due later on the same local day.
    public var laterToday: Int

    public init(learning: Int = 0, review: Int = 0, new: Int = 0, laterToday: Int = 0) {
      (self.learning, self.review, self.new, self.laterToday) = (learning, review, new, laterToday)
    }
  }

  public struct OfSet: Codable, Sendable, Equatable {
    public var set: StudySetID
    public var counts: Counts

    public init(set: StudySetID, counts: Counts) { (self.set, self.counts) = (set, counts) }
  }

  public var total: Counts
  /// Sets with due or new cards.
  public var sets: [OfSet]

  public init(total: Counts, sets: [OfSet]) { (self.total, self.sets) = (total, sets) }
}
