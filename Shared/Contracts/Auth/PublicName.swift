/// What everyone may see of a user beside content or actions.
public struct PublicName: Codable, Sendable, Equatable {
  public var id: UserID
  public var username: String?
  public var displayName: String
  /// Only when everyone may see it.
  public var photo: MediaID?
  public init(id: UserID, username: String?, displayName: String, photo: MediaID? = nil) {
    (self.id, self.username, self.displayName, self.photo) = (id, username, displayName, photo)
  }
}
