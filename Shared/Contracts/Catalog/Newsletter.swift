extension CatalogAPI {
  /// Ask for the newsletter. A mail with a token goes to the address; only ``ConfirmSubscription`` subscribes. The answer
  /// is the same whether the address is known or not.
  public struct Subscribe: Endpoint {
    public typealias Response = Acknowledgement
    public static let operation = Operation(
      .post,
      "/v1/newsletter/subscriptions",
      "Ask for the newsletter",
      access: .anyone,
      success: 202,
      limits: .init(bodyBytes: 4096)
    )
    public var body: NewsletterForm
    public init(body: NewsletterForm) { self.body = body }
  }

  /// The same for a signed-in user, whose account then tells whether it is subscribed.
  public struct SubscribeMe: Endpoint {
    public typealias Response = Acknowledgement
    public static let operation = Operation(
      .post,
      "/v1/newsletter/subscriptions/mine",
      "Ask for the newsletter as a signed-in user",
      access: .user,
      success: 202,
      limits: .init(bodyBytes: 4096)
    )
    public var body: NewsletterForm
    public init(body: NewsletterForm) { self.body = body }
  }

  /// Subscribe, with the token of the mail; good for a day, once.
  public struct ConfirmSubscription: Endpoint {
    public typealias Response = Empty
    public static let operation = Operation(
      .post,
      "/v1/newsletter/confirm",
      "Subscribe, with the token of the mail",
      access: .anyone,
      success: 204,
      problems: [.newsletterTokenInvalid],
      limits: .init(bodyBytes: 4096)
    )

    public struct Body: Codable, Sendable {
      public var token: NewsletterToken
      public init(token: NewsletterToken) { self.token = token }
    }

    public var body: Body
    public init(body: Body) { self.body = body }
  }

  /// Unsubscribe at once, without signing in, as RFC 8058 wants it: mail programs send the form
  /// `List-Unsubscribe=One-Click` to the address of the mail's `List-Unsubscribe` field. Repeating it does no harm.
  public struct Unsubscribe: Endpoint {
    public typealias Response = Empty
    public static let operation = Operation(
      .post,
      "/v1/newsletter/unsubscribe",
      "Unsubscribe at once",
      access: .anyone,
      idempotency: .idempotent,
      success: 204,
      problems: [.newsletterTokenInvalid],
      limits: .init(bodyBytes: 4096),
      takesForms: true
    )

    public struct Body: Codable, Sendable {
      public enum Action: String, WireEnum { case oneClick = "One-Click" }
      public var action: Action

      private enum CodingKeys: String, CodingKey { case action = "List-Unsubscribe" }

      public init(action: Action = .oneClick) { self.action = action }
    }

    public var token: NewsletterToken
    public var body: Body

    public init(token: NewsletterToken, body: Body = Body()) {
      self.token = token
      self.body = body
    }
  }

  /// Send an issue to everybody who is subscribed now; those who unsubscribe before their turn do not get it.
  public struct SendNewsletterIssue: Endpoint {
    public typealias Response = NewsletterIssue
    public static let operation = Operation(
      .post,
      "/v1/newsletter/issues",
      "Send an issue to all subscribers",
      access: .roles([.owner, .administrator]),
      idempotency: .keyed(required: false),
      success: 201,
      limits: .init(bodyBytes: 262_144)
    )

    public struct Body: Codable, Sendable {
      public var subject: ShortText
      public var text: IssueText

      public init(subject: ShortText, text: IssueText) {
        self.subject = subject
        self.text = text
      }
    }

    public var body: Body
    public init(body: Body) { self.body = body }
  }

  /// The issues that were sent, the newest first.
  public struct ListNewsletterIssues: Endpoint {
    public typealias Response = Page<NewsletterIssue>
    public static let operation = Operation(
      .get,
      "/v1/newsletter/issues",
      "The newsletter's issues",
      access: .roles([.owner, .administrator])
    )
    public var limit: PageSize?
    public var cursor: String?

    public init(limit: PageSize? = nil, cursor: String? = nil) {
      self.limit = limit
      self.cursor = cursor
    }
  }

  /// One issue, and how far its sending is.
  public struct GetNewsletterIssue: Endpoint {
    public typealias Response = NewsletterIssue
    public static let operation = Operation(
      .get,
      "/v1/newsletter/issues/{id}",
      "One issue, and how far its sending is",
      access: .roles([.owner, .administrator]),
      problems: [.newsletterIssueNotFound]
    )
    public var id: NewsletterIssueID
    public init(id: NewsletterIssueID) { self.id = id }
  }
}

/// Who wants the newsletter, and where.
public struct NewsletterForm: Codable, Sendable, Equatable {
  public var name: DisplayName
  public var email: EmailAddress

  public init(name: DisplayName, email: EmailAddress) {
    self.name = name
    self.email = email
  }
}

/// What stands in the newsletter's mails and proves who reads them. Never printed.
public struct NewsletterToken: ValidatedString {
  public let rawValue: String
  public init(checked: String) { rawValue = checked }
  public var description: String { "(hidden)" }

  public static let rule = StringRule(length: 1...200, example: "3q2-7wAAABCd0mN4Yx1kq8hJ5uTzRfVb2LcWgEsPoIA")
}

/// The text of an issue.
public struct IssueText: ValidatedString {
  public let rawValue: String
  public init(checked: String) { rawValue = checked }

  public static let rule = StringRule.multiline(length: 1...50_000)
}

public enum NewsletterIssueSubject {}
public typealias NewsletterIssueID = ID<NewsletterIssueSubject>

/// A mail to all subscribers.
public struct NewsletterIssue: Codable, Sendable, Equatable {
  public var id: NewsletterIssueID
  public var subject: ShortText
  public var text: IssueText
  /// Who was subscribed when it was sent.
  public var recipients: Int
  /// How many mails have been handed over for sending.
  public var sent: Int
  public var createdAt: Timestamp

  public init(
    id: NewsletterIssueID,
    subject: ShortText,
    text: IssueText,
    recipients: Int,
    sent: Int,
    createdAt: Timestamp
  ) {
    self.id = id
    self.subject = subject
    self.text = text
    self.recipients = recipients
    self.sent = sent
    self.createdAt = createdAt
  }
}

extension Problem.Kind {
  public static let newsletterTokenInvalid = Self(
    "newsletter-token-invalid",
    status: 422,
    "The token is not valid, was used, or has expired"
  )
  public static let newsletterIssueNotFound = Self("newsletter-issue-not-found", status: 404, "There is no such issue")
}
