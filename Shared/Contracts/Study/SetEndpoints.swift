extension StudyAPI {
  static let sets: [any Endpoint.Type] = [
    ListSets.self, CreateSet.self, GetSet.self, UpdateSet.self, DeleteSet.self, RestoreSet.self, OpenSet.self,
    ListCards.self, CreateCard.self, GetCard.self, UpdateCard.self, DeleteCard.self, RestoreCard.self, MoveCard.self,
  ]

  /// Own and shared sets.
  public struct ListSets: PagedEndpoint {
    public typealias Response = Page<StudySet>
    public static let operation = Operation.get("/v1/study-sets", "List the study sets visible to the caller")
    /// `newest` by default.
    public var order: SetOrder?
    /// The caller's sets that were deleted within 30 days, instead of the others.
    public var deleted: Bool?
    public var limit: PageSize?
    public var cursor: String?
    public init(
      order: SetOrder? = nil, deleted: Bool? = nil, limit: PageSize? = nil, cursor: String? = nil
    ) {
      (self.order, self.deleted, self.limit, self.cursor) = (order, deleted, limit, cursor)
    }
  }

  public struct CreateSet: Endpoint {
    public typealias Response = StudySet
    public static let operation = Operation.post(
      "/v1/study-sets", "Create a set", idempotency: .acceptsKey, success: 201, problems: [.tooManyStudySets]
    )
    public var title: SetTitle
    public var description: SetDescription?
    /// At most 50.
    public var tags: [StudyTag]?
    public init(title: SetTitle, description: SetDescription? = nil, tags: [StudyTag]? = nil) {
      (self.title, self.description, self.tags) = (title, description, tags)
    }
  }

  public struct GetSet: Endpoint {
    public typealias Response = StudySet
    public static let operation = Operation.get(
      "/v1/study-sets/{id}", "Get a set", problems: [.studySetNotFound], caching: .own
    )
    public var id: StudySetID
    public init(id: StudySetID) { self.id = id }
  }

  /// For editors.
  public struct UpdateSet: Endpoint {
    public typealias Response = StudySet
    public static let operation = Operation.patch(
      "/v1/study-sets/{id}", "Update a set (JSON merge patch)", problems: [.studySetNotFound]
    )
    public var id: StudySetID
    public var ifMatch: EntityTag?
    public var title: SetTitle?
    public var description: Patch<SetDescription>
    public var tags: [StudyTag]?
    /// The texts before the edit. With them, an edit that someone else has made meanwhile is merged; without, it is
    /// overwritten.
    public var base: SetTexts?
    public init(
      id: StudySetID, ifMatch: EntityTag? = nil, title: SetTitle? = nil, description: Patch<SetDescription> = .keep,
      tags: [StudyTag]? = nil, base: SetTexts? = nil
    ) {
      (self.id, self.ifMatch, self.title, self.description) = (id, ifMatch, title, description)
      (self.tags, self.base) = (tags, base)
    }
  }

  /// For the owner; it can be restored for 30 days. A published set is also removed from the library.
  public struct DeleteSet: Endpoint {
    public static let operation = Operation.delete(
      "/v1/study-sets/{id}", "Delete a set with its cards", success: 204, problems: [.studySetNotFound]
    )
    public var id: StudySetID
    public var ifMatch: EntityTag?
    public init(id: StudySetID, ifMatch: EntityTag? = nil) { (self.id, self.ifMatch) = (id, ifMatch) }
  }

  public struct RestoreSet: Endpoint {
    public typealias Response = StudySet
    public static let operation = Operation.post(
      "/v1/study-sets/{id}/restore", "Restore a deleted set", idempotency: .idempotent, problems: [.studySetNotFound]
    )
    public var id: StudySetID
    public init(id: StudySetID) { self.id = id }
  }

  /// Studying a set has the same effect.
  public struct OpenSet: Endpoint {
    public static let operation = Operation.put(
      "/v1/study-sets/{id}/opened", "Mark a set as opened", success: 204,
      problems: [.studySetNotFound]
    )
    public var id: StudySetID
    public init(id: StudySetID) { self.id = id }
  }

  // MARK: - cards

  /// In the order of the set.
  public struct ListCards: PagedEndpoint {
    public typealias Response = Page<StudyCard>
    public static let operation = Operation.get(
      "/v1/study-sets/{id}/cards", "List the cards of a set", problems: [.studySetNotFound]
    )
    public var id: StudySetID
    /// Cards that were deleted within 30 days, instead of the others.
    public var deleted: Bool?
    public var limit: PageSize?
    public var cursor: String?
    public init(id: StudySetID, deleted: Bool? = nil, limit: PageSize? = nil, cursor: String? = nil) {
      (self.id, self.deleted, self.limit, self.cursor) = (id, deleted, limit, cursor)
    }
  }

  /// For editors.
  public struct CreateCard: Endpoint {
    public typealias Response = StudyCard
    public static let operation = Operation.post(
      "/v1/study-sets/{id}/cards", "Add a card to a set", idempotency: .acceptsKey, success: 201,
      problems: [.studySetNotFound, .tooManyCards, .mediaNotFound, .mediaNotReady], limits: .init(bodyBytes: 256 << 10)
    )
    public var id: StudySetID
    public var front: CardText
    public var back: CardText
    /// At most 50.
    public var tags: [StudyTag]?
    /// At most 20.
    public var attachments: [CardAttachment]?
    /// At the end by default.
    public var position: CardPosition?
    public init(
      id: StudySetID, front: CardText, back: CardText, tags: [StudyTag]? = nil,
      attachments: [CardAttachment]? = nil, position: CardPosition? = nil
    ) {
      (self.id, self.front, self.back, self.tags) = (id, front, back, tags)
      (self.attachments, self.position) = (attachments, position)
    }
  }

  public struct GetCard: Endpoint {
    public typealias Response = StudyCard
    public static let operation = Operation.get(
      "/v1/cards/{id}", "Get a card", problems: [.cardNotFound], caching: .own
    )
    public var id: CardID
    public init(id: CardID) { self.id = id }
  }

  /// For editors.
  public struct UpdateCard: Endpoint {
    public typealias Response = StudyCard
    public static let operation = Operation.patch(
      "/v1/cards/{id}", "Update a card (JSON merge patch)",
      problems: [.cardNotFound, .mediaNotFound, .mediaNotReady],
      limits: .init(bodyBytes: 512 << 10)
    )
    public var id: CardID
    public var ifMatch: EntityTag?
    public var front: CardText?
    public var back: CardText?
    public var tags: [StudyTag]?
    public var attachments: [CardAttachment]?
    /// The texts before the edit. With them, an edit that someone else has made meanwhile is merged; without, it is
    /// overwritten.
    public var base: CardTexts?
    public init(
      id: CardID, ifMatch: EntityTag? = nil, front: CardText? = nil, back: CardText? = nil, tags: [StudyTag]? = nil,
      attachments: [CardAttachment]? = nil, base: CardTexts? = nil
    ) {
      (self.id, self.ifMatch, self.front, self.back, self.tags) = (id, ifMatch, front, back, tags)
      (self.attachments, self.base) = (attachments, base)
    }
  }

  /// For editors; it can be restored for 30 days.
  public struct DeleteCard: Endpoint {
    public static let operation = Operation.delete(
      "/v1/cards/{id}", "Delete a card", success: 204, problems: [.cardNotFound]
    )
    public var id: CardID
    public var ifMatch: EntityTag?
    public init(id: CardID, ifMatch: EntityTag? = nil) { (self.id, self.ifMatch) = (id, ifMatch) }
  }

  public struct RestoreCard: Endpoint {
    public typealias Response = StudyCard
    public static let operation = Operation.post(
      "/v1/cards/{id}/restore", "Restore a deleted card", idempotency: .idempotent, problems: [.cardNotFound]
    )
    public var id: CardID
    public init(id: CardID) { self.id = id }
  }

  /// One of `before` and `after` is required; they are cards of the same set.
  public struct MoveCard: Endpoint {
    public typealias Response = StudyCard
    public static let operation = Operation.put(
      "/v1/cards/{id}/position", "Move a card next to another one", problems: [.cardNotFound]
    )
    public var id: CardID
    public var ifMatch: EntityTag?
    public var before: CardID?
    public var after: CardID?
    public init(id: CardID, ifMatch: EntityTag? = nil, before: CardID? = nil, after: CardID? = nil) {
      (self.id, self.ifMatch, self.before, self.after) = (id, ifMatch, before, after)
    }
  }
}

extension Problem.Kind {
  public static let studySetNotFound = Self(
    "study-set-not-found", status: 404, "There is no such study set",
    meaning: "The study set does not exist, was deleted, or is not shared with the caller.",
    remedy: "Remove the set from the screen and load the list again.")
  public static let cardNotFound = Self(
    "card-not-found", status: 404, "There is no such card",
    meaning: "The card does not exist, was deleted, or belongs to a set that the caller may not see.",
    remedy: "Load the study set again.")
  public static let tooManyStudySets = Self(
    "too-many-study-sets", status: 409, "The user has too many study sets",
    meaning: "The user has reached the limit of study sets.",
    remedy: "Let the user delete a set first.")
  public static let tooManyCards = Self(
    "too-many-cards", status: 409, "The study set has too many cards",
    meaning: "The study set has reached the limit of cards.",
    remedy: "Let the user delete cards, or continue in another set.")
}
