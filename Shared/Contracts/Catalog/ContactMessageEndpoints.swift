extension CatalogAPI {
  /// The response is the same regardless of what happens to the message.
  public struct SendContactMessage: Endpoint {
    public typealias Response = Acknowledgement
    public static let operation = Operation.post(
      "/v1/contact-messages", "Send a message to the site owner", access: .anyone, idempotency: .acceptsKey,
      success: 202
    )
    public var firstName: PersonName
    public var lastName: PersonName
    public var email: EmailAddress
    public var subject: ShortText
    public var message: LongText
    public init(
      firstName: PersonName, lastName: PersonName, email: EmailAddress, subject: ShortText, message: LongText
    ) {
      (self.firstName, self.lastName, self.email, self.subject) = (firstName, lastName, email, subject)
      self.message = message
    }
  }

  /// Newest first.
  public struct ListContactMessages: PagedEndpoint {
    public typealias Response = Page<ContactMessage>
    public static let operation = Operation.get("/v1/contact-messages", "List contact messages", access: .owners)
    public var state: ContactMessage.State?
    public var limit: PageSize?
    public var cursor: String?
    public init(state: ContactMessage.State? = nil, limit: PageSize? = nil, cursor: String? = nil) {
      (self.state, self.limit, self.cursor) = (state, limit, cursor)
    }
  }

  public struct GetContactMessage: Endpoint {
    public typealias Response = ContactMessage
    public static let operation = Operation.get(
      "/v1/contact-messages/{id}", "Get a contact message", access: .owners, problems: [.contactMessageNotFound]
    )
    public var id: ContactMessageID
    public init(id: ContactMessageID) { self.id = id }
  }

  public struct UpdateContactMessage: Endpoint {
    public typealias Response = ContactMessage
    public static let operation = Operation.patch(
      "/v1/contact-messages/{id}", "Update the state of a contact message", access: .owners,
      idempotency: .idempotent, problems: [.contactMessageNotFound]
    )
    public var id: ContactMessageID
    public var ifMatch: EntityTag?
    public var state: ContactMessage.State
    public init(id: ContactMessageID, ifMatch: EntityTag? = nil, state: ContactMessage.State) {
      (self.id, self.ifMatch, self.state) = (id, ifMatch, state)
    }
  }

  /// A message can be answered only once.
  public struct AnswerContactMessage: Endpoint {
    public typealias Response = ContactMessage
    public static let operation = Operation.post(
      "/v1/contact-messages/{id}/answer", "Answer a contact message by e-mail", access: .owners,
      idempotency: .acceptsKey, problems: [.contactMessageNotFound, .contactMessageAnswered]
    )
    public var id: ContactMessageID
    public var text: LongText
    public init(id: ContactMessageID, text: LongText) { (self.id, self.text) = (id, text) }
  }

  /// Also deletes the answer.
  public struct DeleteContactMessage: Endpoint {
    public static let operation = Operation.delete(
      "/v1/contact-messages/{id}", "Delete a contact message", access: .owners, success: 204
    )
    public var id: ContactMessageID
    public init(id: ContactMessageID) { self.id = id }
  }
}

extension Problem.Kind {
  public static let contactMessageNotFound = Self(
    "contact-message-not-found", status: 404, "There is no such message",
    meaning: "There is no message with this id.",
    remedy: "Load the messages again.")
  public static let contactMessageAnswered = Self(
    "contact-message-answered", status: 409, "The message has already been answered",
    meaning: "Someone else of the staff has answered the message.",
    remedy: "Load the message again and show the answer.")
}
