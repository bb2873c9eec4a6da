public enum RoommateDecision: String, WireEnum { case like, dislike }

public enum LikeDirection: String, WireEnum { case received, given }

/// The result of a swipe.
public struct RoommateSwipe: Codable, Sendable, Equatable {
  public var userID: UserID
  public var decision: RoommateDecision
  public var isMatch: Bool
  public var match: RoommateMatch?
  public init(userID: UserID, decision: RoommateDecision, match: RoommateMatch?) {
    (self.userID, self.decision, isMatch, self.match) = (userID, decision, match != nil, match)
  }
}

/// The person who is in the deck again.
public struct UndoneSwipe: Codable, Sendable, Equatable {
  public var userID: UserID
  public init(userID: UserID) { self.userID = userID }
}

/// A like that has not become a match.
public struct RoommateLike: Codable, Sendable, Equatable {
  public var card: RoommateCard
  public var likedAt: Timestamp
  public init(card: RoommateCard, likedAt: Timestamp) { (self.card, self.likedAt) = (card, likedAt) }
}

/// Two people who like each other.
public struct RoommateMatch: Codable, Sendable, Equatable {
  public var userID: UserID
  public var user: PublicName?
  public var matchedAt: Timestamp
  /// Absent while the other's profile is not complete.
  public var profile: MatchedProfile?
  public init(userID: UserID, user: PublicName?, matchedAt: Timestamp, profile: MatchedProfile?) {
    (self.userID, self.user, self.matchedAt, self.profile) = (userID, user, matchedAt, profile)
  }
}

/// The data that matched users see of each other in addition to the card.
public struct MatchedProfile: Codable, Sendable, Equatable {
  public var fullName: PersonName
  public var photos: RoommatePhotos
  public var card: RoommateCard
  public init(fullName: PersonName, photos: RoommatePhotos, card: RoommateCard) {
    (self.fullName, self.photos, self.card) = (fullName, photos, card)
  }
}

/// A page of people whose names may be missing or outdated.
public struct RoommatePage<Item: Codable & Sendable & Equatable>: Codable, Sendable, Equatable {
  public var items: [Item]
  public var nextCursor: String?
  public var isStale: Bool
  public init(items: [Item], nextCursor: String?, isStale: Bool) {
    (self.items, self.nextCursor, self.isStale) = (items, nextCursor, isStale)
  }
}
