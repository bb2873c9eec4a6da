/// A card of a study set, as files carry it. Texts are plain text whose line breaks are `\n`.
public struct StudyFileCard: Codable, Equatable, Sendable {
  /// The id of what the card was made from: the note's GUID in an Anki package. A package that is imported again
  /// carries the same ids.
  public var id: String?
  public var front: String
  public var back: String
  public var tags: [String]
  /// The deck of the card, its levels separated by `::`.
  public var deck: String?
  /// Names of the pictures and other attachments of the front, in their order.
  public var frontMedia: [String]
  /// Names of the attachments of the back.
  public var backMedia: [String]
  /// The card's state in its scheduling; `nil` when the format has none.
  public var schedule: StudyFileSchedule?

  public init(
    id: String? = nil,
    front: String,
    back: String,
    tags: [String] = [],
    deck: String? = nil,
    frontMedia: [String] = [],
    backMedia: [String] = [],
    schedule: StudyFileSchedule? = nil
  ) {
    self.id = id
    self.front = front
    self.back = back
    self.tags = tags
    self.deck = deck
    self.frontMedia = frontMedia
    self.backMedia = backMedia
    self.schedule = schedule
  }

  /// Decodes a card, in which everything except `front` and `back` may be absent.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    id = try values.decodeIfPresent(String.self, forKey: .id)
    front = try values.decode(String.self, forKey: .front)
    back = try values.decode(String.self, forKey: .back)
    tags = try values.decodeIfPresent([String].self, forKey: .tags) ?? []
    deck = try values.decodeIfPresent(String.self, forKey: .deck)
    frontMedia = try values.decodeIfPresent([String].self, forKey: .frontMedia) ?? []
    backMedia = try values.decodeIfPresent([String].self, forKey: .backMedia) ?? []
    schedule = try values.decodeIfPresent(StudyFileSchedule.self, forKey: .schedule)
  }

  /// Whether neither text nor media is on the front.
  var hasEmptyFront: Bool { front.isBlank && frontMedia.isEmpty }
  var hasEmptyBack: Bool { back.isBlank && backMedia.isEmpty }
}

/// The state of a card in spaced repetition, with the log from which it can be derived again.
public struct StudyFileSchedule: Codable, Equatable, Sendable {
  public enum Phase: String, Codable, Sendable {
    case new, learning, review, relearning
  }

  public var phase: Phase
  /// When the card is due, in milliseconds since 1970; for a card that is due on a day, when that day begins. `nil` for
  /// a new card.
  public var dueAt: Int64?
  /// The current interval in days.
  public var intervalDays: Int
  /// The ease factor of SM-2, such as 2.5.
  public var ease: Double?
  public var repetitions: Int
  public var lapses: Int
  public var isSuspended: Bool
  /// The stability of FSRS, in days.
  public var stability: Double?
  /// The difficulty of FSRS, from 1 to 10.
  public var difficulty: Double?
  /// The reviews, oldest first.
  public var reviews: [StudyFileReview]

  public init(
    phase: Phase = .new,
    dueAt: Int64? = nil,
    intervalDays: Int = 0,
    ease: Double? = nil,
    repetitions: Int = 0,
    lapses: Int = 0,
    isSuspended: Bool = false,
    stability: Double? = nil,
    difficulty: Double? = nil,
    reviews: [StudyFileReview] = []
  ) {
    self.phase = phase
    self.dueAt = dueAt
    self.intervalDays = intervalDays
    self.ease = ease
    self.repetitions = repetitions
    self.lapses = lapses
    self.isSuspended = isSuspended
    self.stability = stability
    self.difficulty = difficulty
    self.reviews = reviews
  }
}

/// One answer to a card.
public struct StudyFileReview: Codable, Equatable, Sendable {
  public enum Kind: String, Codable, Sendable {
    case learning, review, relearning
    /// A review ahead of time, in a filtered deck.
    case early
    /// A change of the schedule without an answer.
    case manual
  }

  /// Milliseconds since 1970.
  public var time: Int64
  /// 1 again, 2 hard, 3 good, 4 easy; 0 for ``Kind/manual``.
  public var rating: Int
  /// How long the answer took, in milliseconds.
  public var duration: Int
  public var kind: Kind
  /// The interval that followed, in seconds.
  public var interval: Int64
  /// The interval before, in seconds.
  public var lastInterval: Int64

  public init(
    time: Int64, rating: Int, duration: Int = 0, kind: Kind = .review, interval: Int64 = 0, lastInterval: Int64 = 0
  ) {
    self.time = time
    self.rating = rating
    self.duration = duration
    self.kind = kind
    self.interval = interval
    self.lastInterval = lastInterval
  }
}
