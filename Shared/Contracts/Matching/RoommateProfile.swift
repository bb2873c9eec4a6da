/// The stages in which a profile is set up.
public enum RoommateStage: String, WireEnum { case contact, identity, about, preferences, photos }

/// A person's own profile. Until it is complete, only they see it.
public struct RoommateProfile: Codable, Sendable, Equatable, Versioned {
  public var contact: RoommateContact?
  public var identity: RoommateIdentity?
  public var about: RoommateAbout?
  public var preferences: RoommatePreferences?
  public var photos: RoommatePhotos?
  public var isComplete: Bool
  public var missingStages: [RoommateStage]
  public var version: Int
  public var updatedAt: Timestamp
  public init(
    contact: RoommateContact?, identity: RoommateIdentity?, about: RoommateAbout?, preferences: RoommatePreferences?,
    photos: RoommatePhotos?, isComplete: Bool, missingStages: [RoommateStage], version: Int, updatedAt: Timestamp
  ) {
    (self.contact, self.identity, self.about, self.preferences) = (contact, identity, about, preferences)
    (self.photos, self.isComplete, self.missingStages) = (photos, isComplete, missingStages)
    (self.version, self.updatedAt) = (version, updatedAt)
  }
}

/// No one else sees it.
public struct RoommateContact: Codable, Sendable, Equatable {
  public var phone: PhoneNumber
  public init(phone: PhoneNumber) { self.phone = phone }
}

public struct RoommateIdentity: Codable, Sendable, Equatable {
  /// Only matches see it.
  public var fullName: PersonName
  /// Others see the age. Roommates are at least 18 years old.
  public var birthday: CalendarDate
  public var gender: Gender
  public init(fullName: PersonName, birthday: CalendarDate, gender: Gender) {
    (self.fullName, self.birthday, self.gender) = (fullName, birthday, gender)
  }
}

public struct RoommateAbout: Codable, Sendable, Equatable {
  public var school: ShortText?
  public var bio: Biography
  public init(school: ShortText? = nil, bio: Biography) { (self.school, self.bio) = (school, bio) }
}

public struct RoommatePhotos: Codable, Sendable, Equatable {
  /// The picture of the card.
  public var card: MediaID
  /// At most 8.
  public var others: [MediaID]
  public init(card: MediaID, others: [MediaID] = []) { (self.card, self.others) = (card, others) }
}
