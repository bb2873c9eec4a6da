/// The pages behind the links in the newsletter's e-mails. They show a button that sends a form, so that programs that
/// follow the links of e-mails change nothing.
extension CatalogAPI {
  /// The page does not reveal whether a token is valid.
  public struct ShowConfirmation: Endpoint {
    public typealias Response = Content
    public static let operation = Operation.get(
      "/v1/newsletter/confirm", "Get the page that confirms a newsletter subscription", access: .anyone)
    public var token: NewsletterToken
    public init(token: NewsletterToken) { self.token = token }
  }

  /// The page does not reveal whether a token is valid.
  public struct ShowUnsubscription: Endpoint {
    public typealias Response = Content
    public static let operation = Operation.get(
      "/v1/newsletter/unsubscribe", "Get the page that unsubscribes from the newsletter", access: .anyone)
    public var token: NewsletterToken
    public init(token: NewsletterToken) { self.token = token }
  }

  /// The outcome is on the returned page, also for a token that is not valid.
  public struct SendConfirmationForm: Endpoint {
    public typealias Response = Content
    public static let operation = Operation.post(
      "/v1/newsletter/pages/confirm", "Submit the form that confirms a newsletter subscription", access: .anyone,
      limits: .init(bodyBytes: 4096), accepts: [.json, .form]
    )
    public var token: NewsletterToken
    public init(token: NewsletterToken) { self.token = token }
  }

  /// The outcome is on the returned page, also for a token that is not valid.
  public struct SendUnsubscriptionForm: Endpoint {
    public typealias Response = Content
    public static let operation = Operation.post(
      "/v1/newsletter/pages/unsubscribe", "Submit the form that unsubscribes from the newsletter", access: .anyone,
      limits: .init(bodyBytes: 4096), accepts: [.json, .form]
    )
    public var token: NewsletterToken
    public init(token: NewsletterToken) { self.token = token }
  }
}
