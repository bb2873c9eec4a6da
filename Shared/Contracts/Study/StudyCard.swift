/// A flashcard of a study set. Its texts are data: markup in them is returned as it was sent.
public struct StudyCard: Codable, Sendable, Equatable, Versioned {
  public var id: CardID
  public var set: StudySetID
  public var front: String
  public var back: String
  public var tags: [String]
  public var attachments: [CardAttachment]
  /// Pictures and sounds that the imported file named and that are not stored.
  public var mediaNames: [CardMediaName]?
  /// The place among the cards of the set, by the order of texts; see `PUT /v1/cards/{id}/position`.
  public var position: String
  /// Texts that lost against an edit on another device, until they are dismissed by a synchronization.
  public var variants: [SyncVariant]?
  public var createdAt: Timestamp
  public var changedAt: Timestamp
  public var deletedAt: Timestamp?
  public var version: Int

  public init(
    id: CardID, set: StudySetID, front: String, back: String, tags: [String] = [],
    attachments: [CardAttachment] = [], mediaNames: [CardMediaName]? = nil, position: String,
    variants: [SyncVariant]? = nil, createdAt: Timestamp, changedAt: Timestamp, deletedAt: Timestamp? = nil,
    version: Int
  ) {
    (self.id, self.set, self.front, self.back, self.tags) = (id, set, front, back, tags)
    (self.attachments, self.mediaNames, self.position) = (attachments, mediaNames, position)
    (self.variants, self.createdAt, self.changedAt) = (variants, createdAt, changedAt)
    (self.deletedAt, self.version) = (deletedAt, version)
  }
}

public enum CardSide: String, WireEnum { case front, back }

/// A picture or another media item of a card.
public struct CardAttachment: Codable, Sendable, Equatable {
  public var media: MediaID
  public var side: CardSide
  public var name: StudyTag?
  public init(media: MediaID, side: CardSide, name: StudyTag? = nil) {
    (self.media, self.side, self.name) = (media, side, name)
  }
}

/// A media item that a file named.
public struct CardMediaName: Codable, Sendable, Equatable {
  public var name: String
  public var side: CardSide
  public init(name: String, side: CardSide) { (self.name, self.side) = (name, side) }
}

/// The texts of a card before they were edited.
public struct CardTexts: Codable, Sendable, Equatable {
  public var front: String?
  public var back: String?
  public init(front: String? = nil, back: String? = nil) { (self.front, self.back) = (front, back) }
}

/// One side of a card.
public struct CardText: ValidatedString {
  public let rawValue: String
  public init(checked: String) { rawValue = checked }
  public static let rule = StringRule.studyText(length: 0...20_000, example: "Paris")
}

/// The place of a card among the cards of its set: texts in the order of their bytes.
public struct CardPosition: ValidatedString {
  public let rawValue: String
  public init(checked: String) { rawValue = checked }
  public static let rule = StringRule(
    length: 1...200, pattern: "^[!-~]+$", example: "m5",
    violation: { $0.utf8.allSatisfy { (33...126).contains($0) } ? nil : "must be ASCII characters without spaces" }
  )
}
