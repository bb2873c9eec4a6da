public struct PublicName: Codable, Sendable, Equatable {
  public var id: UserID
  public var username: String?
  public var displayName: String
  public init(id: UserID, username: String?, displayName: String) {
    (self.id, self.username, self.displayName) = (id, username, displayName)
  }
}
