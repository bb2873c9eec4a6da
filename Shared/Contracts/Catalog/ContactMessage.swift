/// Confirms that a request was received, and reveals nothing else.
public struct Acknowledgement: Codable, Sendable, Equatable {
  public enum Status: String, WireEnum { case received }
  public var status: Status
  public init(status: Status = .received) { self.status = status }
}

public typealias ContactMessageID = ID<ContactMessage>

public struct ContactMessage: Codable, Sendable, Equatable, Versioned {
  public enum State: String, WireEnum { case open, answered, closed }

  public struct Answer: Codable, Sendable, Equatable {
    public var text: LongText
    public var userID: UserID
    public var at: Timestamp
    public init(text: LongText, userID: UserID, at: Timestamp) {
      (self.text, self.userID, self.at) = (text, userID, at)
    }
  }

  public var id: ContactMessageID
  public var state: State
  public var firstName: PersonName
  public var lastName: PersonName
  public var email: EmailAddress
  public var subject: ShortText
  public var message: LongText
  public var answer: Answer?
  public var receivedAt: Timestamp
  public var version: Int
  public init(
    id: ContactMessageID, state: State, firstName: PersonName, lastName: PersonName, email: EmailAddress,
    subject: ShortText, message: LongText, answer: Answer?, receivedAt: Timestamp, version: Int
  ) {
    (self.id, self.state, self.firstName, self.lastName, self.email) = (id, state, firstName, lastName, email)
    (self.subject, self.message, self.answer, self.receivedAt) = (subject, message, answer, receivedAt)
    self.version = version
  }
}
