extension CatalogAPI {
  /// E-mails a token to the address, with a link to a page that confirms it; only ``ConfirmSubscription`` subscribes it. The response is the same whether or
  /// not the address is known.
  public struct Subscribe: Endpoint {
    public typealias Response = Acknowledgement
    public static let operation = Operation.post(
      "/v1/newsletter/subscriptions", "Request a newsletter subscription", access: .anyone, success: 202,
      limits: .init(bodyBytes: 4096)
    )
    public var name: DisplayName
    public var email: EmailAddress
    public init(name: DisplayName, email: EmailAddress) { (self.name, self.email) = (name, email) }
  }

  /// Works like ``Subscribe``; once confirmed, the user's account shows the subscription. It also shows one of its own
  /// verified address, and takes that along when the address is changed.
  public struct SubscribeMe: Endpoint {
    public typealias Response = Acknowledgement
    public static let operation = Operation.post(
      "/v1/newsletter/subscriptions/mine", "Request a newsletter subscription as a signed-in user", success: 202,
      problems: [.consentRequired], limits: .init(bodyBytes: 4096)
    )
    public var name: DisplayName
    public var email: EmailAddress
    public init(name: DisplayName, email: EmailAddress) { (self.name, self.email) = (name, email) }
  }

  /// The token is valid for one day and can be used once.
  public struct ConfirmSubscription: Endpoint {
    public static let operation = Operation.post(
      "/v1/newsletter/confirm", "Confirm a newsletter subscription with an e-mailed token", access: .anyone,
      success: 204, problems: [.newsletterTokenInvalid], limits: .init(bodyBytes: 4096)
    )
    public var token: NewsletterToken
    public init(token: NewsletterToken) { self.token = token }
  }

  /// Takes effect immediately and without signing in, as RFC 8058 requires: mail clients send the form
  /// `List-Unsubscribe=One-Click` to the URL in the mail's `List-Unsubscribe` field. Repeating it has no further
  /// effect.
  public struct Unsubscribe: Endpoint {
    public static let operation = Operation.post(
      "/v1/newsletter/unsubscribe{?token}", "Unsubscribe from the newsletter", access: .anyone,
      idempotency: .idempotent,
      success: 204, problems: [.newsletterTokenInvalid], limits: .init(bodyBytes: 4096), accepts: [.json, .form]
    )

    public enum Action: String, WireEnum { case oneClick = "One-Click" }

    public var token: NewsletterToken
    public var action: Action

    private enum CodingKeys: String, CodingKey {
      case token
      case action = "List-Unsubscribe"
    }

    public init(token: NewsletterToken, action: Action = .oneClick) { (self.token, self.action) = (token, action) }
  }

  /// Ends all subscriptions that the caller's account shows.
  public struct UnsubscribeMe: Endpoint {
    public static let operation = Operation.delete(
      "/v1/newsletter/subscriptions/mine", "Unsubscribe from the newsletter as a signed-in user", success: 204
    )
    public init() {}
  }

  /// Sent to everyone who is subscribed now, except those who unsubscribe before their e-mail is sent.
  public struct SendNewsletterIssue: Endpoint {
    public typealias Response = NewsletterIssue
    public static let operation = Operation.post(
      "/v1/newsletter/issues", "Send a newsletter issue to all subscribers", access: .owners,
      idempotency: .acceptsKey, success: 201, limits: .init(bodyBytes: 262_144)
    )
    public var subject: ShortText
    public var text: IssueText
    public init(subject: ShortText, text: IssueText) { (self.subject, self.text) = (subject, text) }
  }

  /// Newest first.
  public struct ListNewsletterIssues: PagedEndpoint {
    public typealias Response = Page<NewsletterIssue>
    public static let operation = Operation.get("/v1/newsletter/issues", "List newsletter issues", access: .owners)
    public var limit: PageSize?
    public var cursor: String?
    public init(limit: PageSize? = nil, cursor: String? = nil) { (self.limit, self.cursor) = (limit, cursor) }
  }

  public struct GetNewsletterIssue: Endpoint {
    public typealias Response = NewsletterIssue
    public static let operation = Operation.get(
      "/v1/newsletter/issues/{id}", "Get a newsletter issue and its sending progress",
      access: .owners, problems: [.newsletterIssueNotFound]
    )
    public var id: NewsletterIssueID
    public init(id: NewsletterIssueID) { self.id = id }
  }
}

extension Problem.Kind {
  public static let newsletterTokenInvalid = Self(
    "newsletter-token-invalid", status: 422, "The token is invalid, already used or expired",
    meaning: "The link of the e-mail was used, has expired, or was replaced by a newer one.",
    remedy: "Subscribe again, which sends a new e-mail.")
  public static let newsletterIssueNotFound = Self(
    "newsletter-issue-not-found", status: 404, "There is no such issue",
    meaning: "There is no issue with this id, or it is not published.",
    remedy: "Load the issues again.")
}
