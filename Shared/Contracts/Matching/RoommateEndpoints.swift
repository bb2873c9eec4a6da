extension MatchingAPI {
  static let roommates: [any Endpoint.Type] = [
    GetRoommateProfile.self, PutRoommateProfile.self, DeleteRoommateProfile.self, GetPreferenceFields.self,
    GetRoommateDeck.self, SwipeRoommate.self, UndoRoommateSwipe.self, ListRoommateLikes.self, ListRoommateMatches.self,
    GetRoommateMatch.self, GetRoommateSuggestion.self,
  ]

  public struct GetRoommateProfile: Endpoint {
    public typealias Response = RoommateProfile
    public static let operation = Operation.get(
      "/v1/roommates/profile", "Get the caller's roommate profile", problems: [.roommateProfileNotFound])
    public init() {}
  }

  /// Replaces the profile. Stages that are absent are removed. A draft may lack stages; a complete profile has all of
  /// them, and becomes a draft again, and invisible, when it is put with `isComplete` false. It can become complete 10
  /// times a day, and be changed 60 times an hour while it is.
  public struct PutRoommateProfile: Endpoint {
    public typealias Response = RoommateProfile
    public static let operation = Operation.put(
      "/v1/roommates/profile", "Create or replace the caller's profile", publishes: true,
      problems: [.mediaNotFound, .mediaNotReady])
    public var contact: RoommateContact?
    public var identity: RoommateIdentity?
    public var about: RoommateAbout?
    public var preferences: RoommatePreferences?
    public var photos: RoommatePhotos?
    public var isComplete: Bool
    public var ifMatch: EntityTag?
    public init(
      contact: RoommateContact? = nil, identity: RoommateIdentity? = nil, about: RoommateAbout? = nil,
      preferences: RoommatePreferences? = nil, photos: RoommatePhotos? = nil, isComplete: Bool = false,
      ifMatch: EntityTag? = nil
    ) {
      (self.contact, self.identity, self.about, self.preferences) = (contact, identity, about, preferences)
      (self.photos, self.isComplete, self.ifMatch) = (photos, isComplete, ifMatch)
    }
  }

  /// Cancels the set-up, or deletes the complete profile with the caller's swipes and matches.
  public struct DeleteRoommateProfile: Endpoint {
    public static let operation = Operation.delete("/v1/roommates/profile", "Delete the caller's profile", success: 204)
    public init() {}
  }

  public struct GetPreferenceFields: Endpoint {
    public typealias Response = PreferenceFields
    public static let operation = Operation.get(
      "/v1/roommates/preference-fields", "List the fields of living preferences", access: .anyone, caching: .shared)
    public init() {}
  }

  /// People on whom the caller has not swiped, best first. There is no cursor: swiping changes the deck.
  public struct GetRoommateDeck: Endpoint {
    public typealias Response = RoommateDeck
    public static let operation = Operation.get(
      "/v1/roommates/deck", "Get the next cards of the caller's deck", problems: [.roommateProfileIncomplete])
    /// 20 by default.
    public var limit: DeckSize?
    public init(limit: DeckSize? = nil) { self.limit = limit }
  }

  /// Likes or dislikes someone whom the deck may show; anyone else is not found, as someone unknown. A dislike can
  /// become a like, and a like a dislike until it is a match.
  public struct SwipeRoommate: Endpoint {
    public typealias Response = RoommateSwipe
    public static let operation = Operation.post(
      "/v1/roommates/swipes", "Like or dislike a user", idempotency: .idempotent,
      problems: [.roommateNotFound, .roommateProfileIncomplete, .roommateMatched])
    public var userID: UserID
    public var decision: RoommateDecision
    public init(userID: UserID, decision: RoommateDecision) { (self.userID, self.decision) = (userID, decision) }
  }

  /// Undoes the latest dislike that is left.
  public struct UndoRoommateSwipe: Endpoint {
    public typealias Response = UndoneSwipe
    public static let operation = Operation.delete(
      "/v1/roommates/swipes/last", "Undo the last dislike", idempotency: .once, problems: [.nothingToUndo])
    public init() {}
  }

  /// Likes that are not matches, newest first, without people who do not meet each other's requirements any more. Those
  /// received leave out people on whom the caller has swiped.
  public struct ListRoommateLikes: PagedEndpoint {
    public typealias Response = RoommatePage<RoommateLike>
    public static let operation = Operation.get(
      "/v1/roommates/likes", "List likes", problems: [.roommateProfileIncomplete])
    /// `received` by default.
    public var direction: LikeDirection?
    public var limit: PageSize?
    public var cursor: String?
    public init(direction: LikeDirection? = nil, limit: PageSize? = nil, cursor: String? = nil) {
      (self.direction, self.limit, self.cursor) = (direction, limit, cursor)
    }
  }

  /// Newest first.
  public struct ListRoommateMatches: PagedEndpoint {
    public typealias Response = RoommatePage<RoommateMatch>
    public static let operation = Operation.get("/v1/roommates/matches", "List matches")
    public var limit: PageSize?
    public var cursor: String?
    public init(limit: PageSize? = nil, cursor: String? = nil) { (self.limit, self.cursor) = (limit, cursor) }
  }

  public struct GetRoommateMatch: Endpoint {
    public typealias Response = RoommateMatch
    public static let operation = Operation.get(
      "/v1/roommates/matches/{userID}", "Get a match", problems: [.roommateNotFound])
    public var userID: UserID
    public init(userID: UserID) { self.userID = userID }
  }

  /// One mutual suggestion a day, by stable matching of the people of a place.
  public struct GetRoommateSuggestion: Endpoint {
    public typealias Response = RoommateSuggestion
    public static let operation = Operation.get(
      "/v1/roommates/suggestion", "Get the suggestion of the day", problems: [.roommateProfileIncomplete])
    public init() {}
  }
}

extension Problem.Kind {
  public static let roommateProfileNotFound = Self(
    "roommate-profile-not-found", status: 404, "The caller has no roommate profile",
    meaning: "The caller has not started the set-up of a roommate profile.",
    remedy: "Start the set-up.")
  public static let roommateProfileIncomplete = Self(
    "roommate-profile-incomplete", status: 409, "The caller's roommate profile is not complete",
    meaning: "Steps of the set-up are missing, so that the profile is not shown to others and shows no others.",
    remedy: "Continue the set-up at the first missing step.")
  public static let roommateNotFound = Self(
    "roommate-not-found", status: 404, "There is no such roommate",
    meaning: "The profile does not exist, is hidden, or is not visible to the caller.",
    remedy: "Remove the card and load the next ones.")
  public static let roommateMatched = Self(
    "roommate-matched", status: 409, "The users have already matched",
    meaning: "Both have liked each other, and a dislike does not end a match.",
    remedy: "Show the match.")
  public static let nothingToUndo = Self(
    "nothing-to-undo", status: 409, "There is no dislike to undo",
    meaning: "The last swipe was no dislike, or it was undone already.",
    remedy: "Do not offer undoing.")
}
