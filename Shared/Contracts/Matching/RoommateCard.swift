/// Someone whom the caller may want to live with.
public struct RoommateCard: Codable, Sendable, Equatable {
  public var userID: UserID
  /// Absent when the name is not available at the moment.
  public var user: PublicName?
  public var age: Int
  public var gender: Gender
  public var school: ShortText?
  public var bio: Biography
  public var photo: MediaID
  public var place: RoommatePlace.City?
  /// Only between people with positions.
  public var distance: RoommateDistance?
  /// How well both suit each other, from 0 to 100; absent for a match when they do not meet each other's
  /// requirements any more.
  public var score: Int?
  public var reasons: [RoommateReason]
  /// Without the position.
  public var preferences: RoommatePreferences
  public init(
    userID: UserID, user: PublicName?, age: Int, gender: Gender, school: ShortText?, bio: Biography, photo: MediaID,
    place: RoommatePlace.City?, distance: RoommateDistance?, score: Int?, reasons: [RoommateReason],
    preferences: RoommatePreferences
  ) {
    (self.userID, self.user, self.age, self.gender, self.school) = (userID, user, age, gender, school)
    (self.bio, self.photo, self.place, self.distance, self.score) = (bio, photo, place, distance, score)
    (self.reasons, self.preferences) = (reasons, preferences)
  }
}

/// How far apart two people look for a home, between the centers of cells of about one kilometer.
public enum RoommateDistance: String, WireEnum {
  case under2Kilometers, under5Kilometers, under10Kilometers, under25Kilometers, under50Kilometers
  case under100Kilometers, farther
}

/// A reason why two people suit each other.
public struct RoommateReason: Codable, Sendable, Equatable {
  public enum Code: String, WireEnum {
    case nonSmokers, budgetsOverlap, moveInOverlaps, stayOverlaps, similarCleanliness, similarNoise, sameSleep
    case samePets, sameGuests, sameCooking, sameWorkFromHome, sharedLanguages, sameSchool, nearby
  }

  public var code: Code
  /// In English, such as `Budgets overlap by 300.00 EUR`.
  public var text: String
  public init(_ code: Code, _ text: String) { (self.code, self.text) = (code, text) }
}

/// The cards that follow, best first.
public struct RoommateDeck: Codable, Sendable, Equatable {
  public var items: [RoommateCard]
  /// Whether names may be missing or outdated, because they could not be read.
  public var isStale: Bool
  public init(items: [RoommateCard], isStale: Bool) { (self.items, self.isStale) = (items, isStale) }
}

/// The day's suggestion, which both people receive.
public struct RoommateSuggestion: Codable, Sendable, Equatable {
  /// In UTC.
  public var day: CalendarDate
  /// Absent when there is none, one of the two has swiped on the other, or they do not meet each other's requirements
  /// any more.
  public var card: RoommateCard?
  public var isStale: Bool
  public init(day: CalendarDate, card: RoommateCard?, isStale: Bool) {
    (self.day, self.card, self.isStale) = (day, card, isStale)
  }
}
