/// A published set, as everyone sees it.
public struct LibrarySet: Codable, Sendable, Equatable {
  public var id: StudySetID
  public var title: String
  public var description: String?
  public var tags: [String]
  public var ownerID: UserID
  /// Absent while the owner's name is unavailable.
  public var owner: PublicName?
  public var cardCount: Int
  /// How often it was copied.
  public var copies: Int
  public var publishedAt: Timestamp
  public init(
    id: StudySetID, title: String, description: String?, tags: [String], ownerID: UserID, owner: PublicName? = nil,
    cardCount: Int, copies: Int, publishedAt: Timestamp
  ) {
    (self.id, self.title, self.description, self.tags) = (id, title, description, tags)
    (self.ownerID, self.owner, self.cardCount) = (ownerID, owner, cardCount)
    (self.copies, self.publishedAt) = (copies, publishedAt)
  }
}

/// A card of a published set.
public struct LibraryCard: Codable, Sendable, Equatable {
  public var id: CardID
  public var front: String
  public var back: String
  public var tags: [String]
  public var attachments: [CardAttachment]
  public init(id: CardID, front: String, back: String, tags: [String], attachments: [CardAttachment]) {
    (self.id, self.front, self.back, self.tags, self.attachments) = (id, front, back, tags, attachments)
  }
}

public enum LibraryOrder: String, WireEnum {
  case newest
  /// Most copied first.
  case popular
}

/// A user's report of a published set, for support.
public struct LibraryReport: Codable, Sendable, Equatable {
  public enum Reason: String, WireEnum { case spam, copyright, hate, sexual, wrong, other }

  public var set: StudySetID
  public var reporterID: UserID
  public var reason: Reason
  public var reportedAt: Timestamp
  public init(set: StudySetID, reporterID: UserID, reason: Reason, reportedAt: Timestamp) {
    (self.set, self.reporterID, self.reason, self.reportedAt) = (set, reporterID, reason, reportedAt)
  }
}
