/// The public name of a user, as everyone may see it beside content or actions.
public struct PublicName: Codable, Sendable, Equatable {
  public var id: UserID
  public var username: String?
  public var displayName: String
  /// Only when everyone may see it.
  public var photo: MediaID?
  /// Present and true for users with the role of an instructor.
  public var isInstructor: Bool?
  public init(
    id: UserID, username: String?, displayName: String, photo: MediaID? = nil, isInstructor: Bool? = nil
  ) {
    (self.id, self.username, self.displayName) = (id, username, displayName)
    (self.photo, self.isInstructor) = (photo, isInstructor)
  }
}
