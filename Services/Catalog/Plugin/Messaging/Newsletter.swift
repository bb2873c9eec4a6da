import Contracts
import Persistence
import PlatformRules
import ServiceKit
import ServiceLifecycle

/// The newsletter: its subscriptions (``Subscriptions``) and its issues (``NewsletterIssues``).
struct Newsletter: Feature {
  private let subscriptions: Subscriptions
  private let issues: NewsletterIssues
  private let consents: ConsentCheck

  init(_ core: CatalogCore) throws {
    subscriptions = try Subscriptions(core)
    issues = try NewsletterIssues(core)
    consents = ConsentCheck(core.environment)
  }

  var workers: [any Service] { [subscriptions, issues] }

  func register(in routes: inout Routes) {
    routes.on(CatalogAPI.Subscribe.self) { request, call in
      try await subscriptions.ask(
        Subscriber(name: request.name, email: request.email), as: nil, countedBy: call.network)
    }
    routes.on(CatalogAPI.SubscribeMe.self) { request, call in
      let user = try call.user.id
      try await consents.require(.newsletter, of: user)
      let subscriber = Subscriber(name: request.name, email: request.email)
      return try await subscriptions.ask(subscriber, as: user, countedBy: "user \(user)")
    }
    routes.on(CatalogAPI.ConfirmSubscription.self) { request, call in
      try await subscriptions.confirm(request.token, by: call.auditActor)
    }
    routes.on(CatalogAPI.Unsubscribe.self) { request, call in
      try await subscriptions.end(request.token, by: call.auditActor)
    }
    routes.on(CatalogAPI.UnsubscribeMe.self) { _, call in
      try await subscriptions.end(of: call.user.id, by: call.auditActor)
    }
    routes.on(UserAddressVerified.self) { event, tx in try subscriptions.addressVerified(event.userID, in: tx) }
    routes.on(ConsentChanged.self) { event, tx in
      guard event.purpose == .newsletter, !event.isGiven else { return }
      try subscriptions.end(of: event.userID, by: AuditActor("user:\(event.userID)"), in: tx)
    }
    registerPages(in: &routes)
    routes.on(CatalogAPI.SendNewsletterIssue.self) { request, call in
      try await issues.send(request, call.idempotencyKey, by: call.auditActor)
    }
    routes.on(CatalogAPI.ListNewsletterIssues.self) { request, _ in try await issues.list(request) }
    routes.on(CatalogAPI.GetNewsletterIssue.self) { request, _ in try await issues.get(request.id) }
  }

  private func registerPages(in routes: inout Routes) {
    routes.on(CatalogAPI.ShowConfirmation.self) { request, _ in NewsletterPage.confirm(request.token).content }
    routes.on(CatalogAPI.ShowUnsubscription.self) { request, _ in NewsletterPage.unsubscribe(request.token).content }
    routes.on(CatalogAPI.SendConfirmationForm.self) { request, call in
      try await Self.page(.confirmed) { try await subscriptions.confirm(request.token, by: call.auditActor) }
    }
    routes.on(CatalogAPI.SendUnsubscriptionForm.self) { request, call in
      try await Self.page(.unsubscribed) { try await subscriptions.end(request.token, by: call.auditActor) }
    }
  }

  /// The page that shows what became of a form.
  private static func page(_ done: NewsletterPage, _ body: () async throws -> Void) async throws -> Content {
    do { try await body() } catch let problem as Problem where problem.is(.newsletterTokenInvalid) {
      return NewsletterPage.invalid.content
    }
    return done.content
  }

  func export(_ user: UserID, in db: any Connection) throws -> [(section: String, content: JSONValue)] {
    [("newsletter", try subscriptions.export(user, in: db))]
  }

  func erase(_ user: UserID, in tx: Transaction) throws { try subscriptions.erase(user, in: tx) }

  static let settings: [any SettingDescription] = [MessagingSettings.publicURL]
}
