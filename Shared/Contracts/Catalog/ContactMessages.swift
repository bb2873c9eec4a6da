extension CatalogAPI {
  /// The response is the same regardless of what happens to the message.
  public struct SendContactMessage: Endpoint {
    public typealias Response = Acknowledgement
    public static let operation = Operation(
      .post,
      "/v1/contact-messages",
      "Send a message to the site owner",
      access: .anyone,
      idempotency: .keyed(required: false),
      success: 202
    )

    public struct Body: Codable, Sendable {
      public var firstName: PersonName
      public var lastName: PersonName
      /// The address that the answer is sent to.
      public var email: EmailAddress
      public var subject: ShortText
      public var message: LongText

      public init(
        firstName: PersonName,
        lastName: PersonName,
        email: EmailAddress,
        subject: ShortText,
        message: LongText
      ) {
        self.firstName = firstName
        self.lastName = lastName
        self.email = email
        self.subject = subject
        self.message = message
      }
    }

    public var body: Body
    public init(body: Body) { self.body = body }
  }

  /// Newest first.
  public struct ListContactMessages: Endpoint {
    public typealias Response = Page<ContactMessage>
    public static let operation = Operation(
      .get,
      "/v1/contact-messages",
      "List contact messages",
      access: .roles([.owner, .administrator])
    )
    public var state: ContactMessage.State?
    public var limit: PageSize?
    public var cursor: String?

    public init(state: ContactMessage.State? = nil, limit: PageSize? = nil, cursor: String? = nil) {
      self.state = state
      self.limit = limit
      self.cursor = cursor
    }
  }

  public struct GetContactMessage: Endpoint {
    public typealias Response = ContactMessage
    public static let operation = Operation(
      .get,
      "/v1/contact-messages/{id}",
      "Get a contact message",
      access: .roles([.owner, .administrator]),
      problems: [.contactMessageNotFound]
    )
    public var id: ContactMessageID
    public init(id: ContactMessageID) { self.id = id }
  }

  public struct UpdateContactMessage: Endpoint {
    public typealias Response = ContactMessage
    public static let operation = Operation(
      .patch,
      "/v1/contact-messages/{id}",
      "Update the state of a contact message",
      access: .roles([.owner, .administrator]),
      idempotency: .idempotent,
      problems: [.contactMessageNotFound]
    )

    public struct Body: Codable, Sendable {
      public var state: ContactMessage.State
      public init(state: ContactMessage.State) { self.state = state }
    }

    public var id: ContactMessageID
    public var ifMatch: EntityTag?
    public var body: Body

    public init(id: ContactMessageID, ifMatch: EntityTag? = nil, body: Body) {
      self.id = id
      self.ifMatch = ifMatch
      self.body = body
    }
  }

  /// A message can be answered only once.
  public struct AnswerContactMessage: Endpoint {
    public typealias Response = ContactMessage
    public static let operation = Operation(
      .post,
      "/v1/contact-messages/{id}/answer",
      "Answer a contact message by e-mail",
      access: .roles([.owner, .administrator]),
      idempotency: .keyed(required: false),
      problems: [.contactMessageNotFound, .contactMessageAnswered]
    )

    public struct Body: Codable, Sendable {
      public var text: LongText
      public init(text: LongText) { self.text = text }
    }

    public var id: ContactMessageID
    public var body: Body

    public init(id: ContactMessageID, body: Body) {
      self.id = id
      self.body = body
    }
  }

  /// Also deletes the answer.
  public struct DeleteContactMessage: Endpoint {
    public typealias Response = Empty
    public static let operation = Operation(
      .delete,
      "/v1/contact-messages/{id}",
      "Delete a contact message",
      access: .roles([.owner, .administrator]),
      success: 204
    )
    public var id: ContactMessageID
    public init(id: ContactMessageID) { self.id = id }
  }
}

/// Confirms that a request was received, and reveals nothing else.
public struct Acknowledgement: Codable, Sendable, Equatable {
  public enum Status: String, WireEnum { case received }
  public var status: Status

  public init(status: Status = .received) { self.status = status }
}

public enum ContactMessageSubject {}
public typealias ContactMessageID = ID<ContactMessageSubject>

/// A message to the site owner.
public struct ContactMessage: Codable, Sendable, Equatable, Versioned {
  public enum State: String, WireEnum { case open, answered, closed }

  /// The answer to a message, its author and its time.
  public struct Answer: Codable, Sendable, Equatable {
    public var text: LongText
    public var userID: UserID
    public var at: Timestamp

    public init(text: LongText, userID: UserID, at: Timestamp) {
      self.text = text
      self.userID = userID
      self.at = at
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
    id: ContactMessageID,
    state: State,
    firstName: PersonName,
    lastName: PersonName,
    email: EmailAddress,
    subject: ShortText,
    message: LongText,
    answer: Answer?,
    receivedAt: Timestamp,
    version: Int
  ) {
    self.id = id
    self.state = state
    self.firstName = firstName
    self.lastName = lastName
    self.email = email
    self.subject = subject
    self.message = message
    self.answer = answer
    self.receivedAt = receivedAt
    self.version = version
  }
}

extension Problem.Kind {
  public static let contactMessageNotFound = Self(
    "contact-message-not-found",
    status: 404,
    "There is no such message"
  )
  public static let contactMessageAnswered = Self(
    "contact-message-answered",
    status: 409,
    "The message has already been answered"
  )
}
