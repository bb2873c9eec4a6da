extension StudyAPI {
  static let reviews: [any Endpoint.Type] = [
    AddReviews.self, GetDueCards.self, GetDueCounts.self, GetCardSchedule.self, GetScheduler.self,
    UpdateScheduler.self, FitScheduler.self,
  ]

  /// Appends answers to the caller's log of reviews, from which the schedules of cards follow. The time that they took is
  /// study time.
  public struct AddReviews: Endpoint {
    public typealias Response = ReviewedCards
    public static let operation = Operation.post(
      "/v1/reviews", "Record reviews of cards", idempotency: .acceptsKey, success: 201,
      problems: [.entryIDInUse], limits: .init(bodyBytes: 256 << 10)
    )
    /// 1 to 500, in any order.
    public var reviews: [NewReview]
    public init(reviews: [NewReview]) { self.reviews = reviews }
  }

  /// Cards in learning first, then the most overdue in relation to their intervals, then as many new cards as the day's
  /// limit leaves.
  public struct GetDueCards: Endpoint {
    public typealias Response = DueCards
    public static let operation = Operation.get("/v1/study-sets/{id}/due", "List the due cards of a set")
    public var id: StudySetID
    public var limit: PageSize?
    /// Local time minus UTC, which decides when the day's limit begins again; by default that of the last entry.
    public var utcOffsetMinutes: UTCOffsetMinutes?
    public init(id: StudySetID, limit: PageSize? = nil, utcOffsetMinutes: UTCOffsetMinutes? = nil) {
      (self.id, self.limit, self.utcOffsetMinutes) = (id, limit, utcOffsetMinutes)
    }
  }

  public struct GetDueCounts: Endpoint {
    public typealias Response = DueCounts
    public static let operation = Operation.get("/v1/due", "Count the due cards of every set")
    public var utcOffsetMinutes: UTCOffsetMinutes?
    public init(utcOffsetMinutes: UTCOffsetMinutes? = nil) { self.utcOffsetMinutes = utcOffsetMinutes }
  }

  public struct GetCardSchedule: Endpoint {
    public typealias Response = DueCard
    public static let operation = Operation.get("/v1/cards/{id}/schedule", "Get the caller's schedule of a card")
    public var id: CardID
    public init(id: CardID) { self.id = id }
  }

  public struct GetScheduler: Endpoint {
    public typealias Response = StudyScheduler
    public static let operation = Operation.get("/v1/scheduler", "Get the caller's scheduler")
    public init() {}
  }

  /// Changes fields of the synchronized settings, so that devices schedule alike. All cards are scheduled again.
  public struct UpdateScheduler: Endpoint {
    public typealias Response = StudyScheduler
    public static let operation = Operation.patch("/v1/scheduler", "Update the caller's scheduler (JSON merge patch)")
    public var desiredRetention: Double?
    public var learningSteps: [Int64]?
    public var relearningSteps: [Int64]?
    public var maximumInterval: Int64?
    public var fuzz: Bool?
    public var newCardsPerDay: Int64?
    public var rolloverHour: Int64?
    public var fitsWeights: Bool?
    /// `null` for the default weights.
    public var weights: Patch<SchedulerWeights>
    public init(
      desiredRetention: Double? = nil, learningSteps: [Int64]? = nil, relearningSteps: [Int64]? = nil,
      maximumInterval: Int64? = nil, fuzz: Bool? = nil, newCardsPerDay: Int64? = nil, rolloverHour: Int64? = nil,
      fitsWeights: Bool? = nil, weights: Patch<SchedulerWeights> = .keep
    ) {
      (self.desiredRetention, self.learningSteps) = (desiredRetention, learningSteps)
      (self.relearningSteps, self.maximumInterval, self.fuzz) = (relearningSteps, maximumInterval, fuzz)
      (self.newCardsPerDay, self.rolloverHour, self.fitsWeights) = (newCardsPerDay, rolloverHour, fitsWeights)
      self.weights = weights
    }
  }

  /// The weights are fitted to the caller's reviews in the background; they are changed only if they predict later
  /// reviews better. See `lastFit` of the scheduler.
  public struct FitScheduler: Endpoint {
    public static let operation = Operation.post(
      "/v1/scheduler/fit", "Fit the scheduler to the caller's reviews", idempotency: .idempotent, success: 202,
      problems: [.planRequired])
    public init() {}
  }
}

extension Problem.Kind {
  public static let entryIDInUse = Self(
    "entry-id-in-use", status: 409, "The id is that of another entry",
    meaning: "The review log has an entry with this id and other content. Clients choose the ids, so this is a mistake "
      + "of the client.",
    remedy: "Create a new id for the entry and send it again. Never change an entry that was sent.")
}
