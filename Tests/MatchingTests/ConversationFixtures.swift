import CatalogService
import Contracts
import Foundation
import GatewayService
import OrdersService
import Persistence
import ServiceKit
import TestKit

@testable import AuthService
@testable import MatchingService

/// Matching and auth behind the gateway, with what tests of conversations need.
struct ConversationHost: Sendable {
  let test: TestPlatform

  static let unlimited = ["limits.read": "0/1", "limits.write": "0/1", "limits.signIn": "0/1"]

  static func run(
    _ database: TestDatabase = .sqlite, settings: [String: String] = ["matching.messages": "0/1"],
    _ body: (ConversationHost) async throws -> Void
  ) async throws {
    try await TestPlatform.run(
      [GatewayPlugin.self, AuthPlugin.self, MatchingPlugin.self], settings: unlimited.merging(settings) { $1 },
      database: database
    ) { try await body(ConversationHost(test: $0)) }
  }

  var time: ManualTime { test.time }

  // MARK: users

  /// A user with an account and a token that does not expire.
  func user(_ name: String, _ roles: [Role] = [.user], app: ClientApp = .web) async throws -> TestUser {
    let id = try await test.plugin(AuthPlugin.self).createAccount(
      email: EmailAddress(validating: "\(name)@example.com"), username: Username(validating: name),
      displayName: DisplayName(validating: "The \(name)"), password: Password(validating: "correct horse \(name)"),
      roles: roles
    )
    return try await user(id, roles, app: app)
  }

  func user(_ id: UserID, _ roles: [Role], app: ClientApp = .web) async throws -> TestUser {
    let keys = try await SigningKeys.load(Settings([:]), dataFolder: test.folder)
    let now = time.source.now().unixSeconds
    let claims = AccessClaims(
      iss: Issuer.name, sub: id.rawValue, aud: app.rawValue, sid: test.ids.text(),
      scope: ClientApp.web.scopeClaim(isStaff: true),
      roles: roles.map(\.rawValue), iat: now - 60, exp: now + 10 * 365 * 86_400, jti: test.ids.text()
    )
    return TestUser(id: id, token: try await keys.sign(claims), client: test.client)
  }

  func users(_ names: String...) async throws -> [TestUser] {
    var users: [TestUser] = []
    for name in names { users.append(try await user(name)) }
    return users
  }

  // MARK: conversations

  func start(_ user: TestUser, _ other: TestUser, about listing: ListingID? = nil) async throws -> Conversation {
    try await user.client.send(MatchingAPI.StartConversation(userID: other.id, listingID: listing))
  }

  /// An open conversation that both want.
  func talk(_ user: TestUser, _ other: TestUser, about listing: ListingID? = nil) async throws -> ConversationID {
    _ = try await start(user, other, about: listing)
    return try await start(other, user, about: listing).id
  }

  @discardableResult
  func send(
    _ text: String, _ user: TestUser, _ conversation: ConversationID, id: MessageID? = nil, replyTo: MessageID? = nil
  ) async throws -> Message {
    try await user.client.send(
      MatchingAPI.SendMessage(
        id: conversation, messageID: id ?? test.ids.make(), text: MessageText(validating: text), replyTo: replyTo))
  }

  func get(_ conversation: ConversationID, _ user: TestUser) async throws -> Conversation {
    try await user.client.send(MatchingAPI.GetConversation(id: conversation))
  }

  func inbox(_ user: TestUser, _ folder: Conversation.Folder = .inbox) async throws -> [Conversation] {
    try await user.client.send(MatchingAPI.ListConversations(folder: folder)).items
  }

  /// All messages, oldest first.
  func messages(_ conversation: ConversationID, _ user: TestUser) async throws -> [Message] {
    var (messages, cursor): ([Message], String?) = ([], nil)
    repeat {
      let page = try await user.client.send(
        MatchingAPI.ListMessages(
          id: conversation, after: cursor == nil ? 0 : nil, limit: PageSize(checked: 100), cursor: cursor))
      (messages, cursor) = (messages + page.items, page.nextCursor)
    } while cursor != nil
    return messages
  }

  func read(_ conversation: ConversationID, _ user: TestUser, upTo: Int) async throws -> ConversationMarkers {
    try await user.client.send(MatchingAPI.MarkRead(id: conversation, upTo: upTo))
  }

  /// Closes the conversations of two users as a block does.
  func end(_ one: TestUser, _ other: TestUser) async throws {
    try await database.write { tx in try ConversationEnding.end(between: one.id, and: other.id, in: tx) }
  }

  // MARK: events

  /// Delivers an event as another service would.
  func deliver(_ event: some Event, from service: any ServiceAPI.Type) async throws {
    try await test.deliver(event, from: service, to: MatchingAPI.self)
  }

  /// An offer of the buyer, discussed in a conversation.
  func offer(
    _ id: OfferID, _ conversation: ConversationID, _ buyer: TestUser, _ seller: TestUser,
    _ status: OfferStatus = .pending, madeBy: Offer.Party = .buyer
  ) -> OfferChanged {
    OfferChanged(
      offerID: id, conversationID: conversation, listingID: ListingID(trusted: ListingID.example.rawValue),
      buyerID: buyer.id, sellerID: seller.id, status: status, amount: Money(9000, .usd), madeBy: madeBy,
      expiresAt: time.source.now().advanced(bySeconds: 48 * 3600)
    )
  }

  // MARK: what is stored

  var database: any Database { get throws { try test.database(of: MatchingAPI.self) } }

  /// The events of a type that matching has recorded, oldest first.
  func events<E: Event>(_ type: E.Type) async throws -> [E] {
    try await test.recorded(type, by: MatchingAPI.self)
  }

  func topicEvents(_ name: String) async throws -> [TopicEvent] {
    try await events(TopicEvent.self).filter { $0.name == name }
  }

  func pushes(to user: TestUser) async throws -> [PushRequested] {
    try await events(PushRequested.self).filter { $0.userID == user.id }
  }

  func count(_ sql: SQL) async throws -> Int { try await database.read { db in try db.count(sql) } }

  func export(_ section: String, of user: UserID) async throws -> JSONValue? {
    try await test.plugin(MatchingPlugin.self).export(user, from: database)[section]
  }
}

/// The code of the problem that a call fails with; `nil` on success.
func code(_ body: () async throws -> Void) async throws -> String? { try await problem(body)?.code }
