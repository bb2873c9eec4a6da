import Contracts
import Persistence
import ServiceKit
import TestKit
import Testing

@testable import AuthService
@testable import StudySyncService

extension StudyHost {
  /// study-sync and auth without limits on the rate of requests.
  static func unlimited(_ database: TestDatabase = .sqlite, _ body: (StudyHost) async throws -> Void) async throws {
    let settings = ["limits.read": "0/1", "limits.write": "0/1", "limits.signIn": "0/1"]
    try await TestPlatform.run(plugins, settings: settings, database: database) {
      try await body(StudyHost(test: $0))
    }
  }

  /// A user with a token that does not expire.
  func member(_ name: String, _ roles: [Role] = [.user]) async throws -> TestUser {
    let id = try await test.plugin(AuthPlugin.self).createAccount(
      email: EmailAddress(validating: "\(name)@example.com"), username: Username(validating: name),
      displayName: DisplayName(validating: "The \(name)"), password: Password(validating: "correct horse \(name)"),
      roles: roles)
    let keys = try await SigningKeys.load(Settings([:]), dataFolder: test.folder)
    let now = test.time.source.now().unixSeconds
    let claims = AccessClaims(
      iss: Issuer.name, sub: id.rawValue, aud: ClientApp.web.rawValue, sid: test.ids.text(),
      scope: ClientApp.web.scopeClaim(isStaff: true), roles: roles.map(\.rawValue), iat: now - 60,
      exp: now + 10 * 365 * 86_400,
      jti: test.ids.text())
    return TestUser(id: id, token: try await keys.sign(claims), client: test.client)
  }

  func guest() async throws -> TestUser {
    TestUser(try await test.client.send(AuthAPI.SignInAsGuest()), test.client)
  }

  func block(_ blocker: TestUser, _ blocked: TestUser) async throws {
    try await test.deliver(
      BlockChanged(blocker: blocker.id, blocked: blocked.id, isBlocked: true), from: MatchingAPI.self,
      to: StudyAPI.self)
  }

  func deleteAccount(of user: TestUser) async throws {
    try await test.deliver(UserDeleted(userID: user.id), from: AuthAPI.self, to: StudyAPI.self)
  }

  /// The names of the realtime events of a user.
  func events(for user: TestUser) async throws -> [String] {
    try await test.recorded(RealtimeEvent.self, by: StudyAPI.self).filter { $0.userID == user.id }.map(\.name)
  }

  /// How often devices of a user were notified to synchronize.
  func hints(for user: TestUser) async throws -> Int {
    try await test.recorded(TopicEvent.self, by: StudyAPI.self).count { $0.topic == SyncHint.topic(of: user.id) }
  }
}

extension TestUser {
  func makeSet(_ title: String = "Latin", tags: [String] = []) async throws -> StudySet {
    try await client.send(
      StudyAPI.CreateSet(
        title: SetTitle(validating: title), tags: tags.map { try StudyTag(validating: $0) }))
  }

  @discardableResult
  func makeCard(_ set: StudySetID, _ front: String, _ back: String = "back") async throws -> StudyCard {
    try await client.send(
      StudyAPI.CreateCard(id: set, front: CardText(validating: front), back: CardText(validating: back)))
  }

  func set(_ id: StudySetID) async throws -> StudySet { try await client.send(StudyAPI.GetSet(id: id)) }

  func sets(_ order: SetOrder? = nil) async throws -> [StudySet] {
    try await client.send(StudyAPI.ListSets(order: order, limit: PageSize(100))).items
  }

  func cards(_ set: StudySetID) async throws -> [StudyCard] {
    try await client.send(StudyAPI.ListCards(id: set, limit: PageSize(100))).items
  }

  func fronts(_ set: StudySetID) async throws -> [String] { try await cards(set).map(\.front) }

  @discardableResult
  func share(_ set: StudySetID, with other: TestUser, as role: ShareRole = .viewer) async throws -> SetShare {
    try await client.send(StudyAPI.ShareSet(id: set, role: role, userID: other.id))
  }

  @discardableResult
  func importFile(
    _ bytes: some Sequence<UInt8>, set: StudySetID? = nil, title: String? = nil, schedule: Bool? = nil,
    key: String? = nil
  ) async throws -> StudyImport {
    try await client.send(
      StudyAPI.ImportCards(
        body: RawBody(Array(bytes)), set: set, title: title.map { try SetTitle(validating: $0) },
        schedule: schedule), idempotencyKey: key)
  }

  /// The codes of the problems that requests fail with.
  func codes(_ requests: any Endpoint...) async throws -> [String?] {
    var codes: [String?] = []
    for request in requests { codes.append(try await code(of: request)) }
    return codes
  }

  private func code(of request: some Endpoint) async throws -> String? {
    try await problem { _ = try await client.send(request) }?.code
  }

  func export(_ set: StudySetID, _ format: StudyFormat, schedule: Bool? = nil) async throws -> [UInt8] {
    try await client.send(StudyAPI.ExportSet(id: set, format: format, schedule: schedule)).bytes
  }
}
