/// The e-mail address of an account whose user has proved control of it.
public struct VerifiedAddress: Codable, Sendable, Equatable {
  public var userID: UserID
  public var email: EmailAddress
  public init(userID: UserID, email: EmailAddress) { (self.userID, self.email) = (userID, email) }
}
