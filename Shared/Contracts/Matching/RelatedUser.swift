/// A user in a list of follows, blocks or mutual connections.
public struct RelatedUser: Codable, Sendable, Equatable {
  public var userID: UserID
  /// Absent while the user's name is unavailable, and when there is no such user.
  public var user: PublicName?
  /// The start of the relation.
  public var since: Timestamp
  public init(userID: UserID, user: PublicName? = nil, since: Timestamp) {
    (self.userID, self.user, self.since) = (userID, user, since)
  }
}

/// A page of users, with the length of the whole list.
public struct RelatedUsers: Codable, Sendable, Equatable {
  public var items: [RelatedUser]
  /// How many users the whole list has.
  public var count: Int
  /// See ``Page``.
  public var nextCursor: String?
  public init(items: [RelatedUser], count: Int, nextCursor: String? = nil) {
    (self.items, self.count, self.nextCursor) = (items, count, nextCursor)
  }
}

/// Up to 100 ids of users, separated by commas.
public struct UserList: ValidatedString {
  public let rawValue: String
  public init(checked: String) { rawValue = checked }
  public init(_ users: [UserID]) { rawValue = users.map(\.rawValue).joined(separator: ",") }

  public static let rule = StringRule(
    length: 36...3699,
    pattern: "^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}"
      + "(,[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}){0,99}$",
    example: UserID.example.rawValue,
    normalize: { $0.lowercased() },
    violation: { text in
      let parts = text.split(separator: ",", omittingEmptySubsequences: false)
      return parts.allSatisfy { UserID(String($0)) != nil } ? nil : "must be UUIDs separated by commas"
    }
  )

  /// Without repetitions, in the order given.
  public var ids: [UserID] {
    var seen: Set<UserID> = []
    return rawValue.split(separator: ",").map { UserID(trusted: String($0)) }.filter { seen.insert($0).inserted }
  }
}
