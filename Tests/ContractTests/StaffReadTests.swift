import CatalogService
import Contracts
import Foundation
import GatewayService
import MatchingService
import MediaIndexService
import OrdersService
import Persistence
import ServiceKit
import StudySyncService
import TestKit
import Testing

@testable import AuthService

/// Everything that staff may read is in the contracts. Each such read leaves an entry in the audit trail, or shows nothing
/// about persons.
@Suite(.serialized)
struct StaffReadTests {
  private static let apis: [any ServiceAPI.Type] = [
    AuthAPI.self, CatalogAPI.self, OrdersAPI.self, MatchingAPI.self, StudyAPI.self, MediaAPI.self, GatewayAPI.self,
  ]

  /// Reads that show nothing about persons, and what they show.
  private static let impersonal = [
    "/v1/products/{id}/stock": "numbers of pieces", "/v1/newsletter/issues": "what was sent to all",
    "/v1/newsletter/issues/{id}": "what was sent to all", "/v1/pricing-rules": "taxes and shipping",
    "/v1/admin/schools": "names of institutions", "/v1/admin/dead-letters": "types of events, and errors",
    "/v1/admin/jobs": "kinds of jobs, and errors", "/v1/admin/metrics": "numbers of requests, and durations",
  ]

  /// Reads of what takes more than a request to make, and the tests that show their entries.
  private static let shownElsewhere = ["/v1/admin/payouts/{id}/bank-account": "PayoutTests"]

  @Test func everyStaffReadIsAudited() async throws {
    let plugins: [any ServicePlugin.Type] = [
      GatewayPlugin.self, AuthPlugin.self, CatalogPlugin.self, MatchingPlugin.self, OrdersPlugin.self,
      StudySyncPlugin.self, MediaIndexPlugin.self,
    ]
    let settings = [
      "limits.read": "0/1", "limits.write": "0/1", "limits.signIn": "0/1", "limits.session": "0/1",
      "limits.guests": "0/1",
    ]
    try await TestPlatform.run(plugins, settings: settings) { test async throws in
      let staff = try await self.staff(test)
      let message = try await contactMessage(test, staff)
      let user = try await test.client.send(AuthAPI.SignInAsGuest()).user.id
      let paths = [
        "/v1/contact-messages/{id}": "/v1/contact-messages/\(message)",
        "/v1/admin/users/{id}/sessions": "/v1/admin/users/\(user)/sessions",
      ]
      var count = 0
      for api in Self.apis {
        let database = try test.database(of: api)
        for endpoint in api.endpoints {
          let operation = endpoint.operation
          guard case .roles = operation.access, operation.method == .get else { continue }
          let template = operation.path.description
          if Self.impersonal.keys.contains(template) || Self.shownElsewhere.keys.contains(template) { continue }
          let path = paths[template] ?? template
          #expect(!path.contains("{"), "say in `paths` which \(template) to read, or why it is not personal")
          let before = try await entries(of: staff.id, database)
          let response = try await test.send(.get, path, by: staff)
          #expect(response.status == 200, "\(path)")
          let new = try await entries(of: staff.id, database).dropFirst(before.count)
          #expect(new.count == 1, "\(path) leaves \(new.count) entries")
          #expect(new.allSatisfy { AuditAction.isStaffRead($0) }, "\(path): \(new)")
          count += 1
        }
      }
      #expect(count >= 12)
    }
  }

  /// Reads that have become impersonal or were removed do not stay in the lists above.
  @Test func theListsNameReadsThatExist() {
    let known = Self.apis.flatMap { api in api.endpoints.map { $0.operation.path.description } }
    for path in Array(Self.impersonal.keys) + Array(Self.shownElsewhere.keys) {
      #expect(known.contains(path), "\(path)")
    }
  }

  private func entries(of user: UserID, _ database: any Database) async throws -> [String] {
    try await database.read { db in
      try db.values("SELECT action FROM audit WHERE actor = \("user:\(user)") ORDER BY id", as: String.self)
    }
  }

  private func contactMessage(_ test: TestPlatform, _ staff: TestUser) async throws -> ContactMessageID {
    _ = try await test.client.send(
      CatalogAPI.SendContactMessage(
        firstName: PersonName(validating: "Eve"), lastName: PersonName(validating: "Writer"),
        email: EmailAddress(validating: "eve@example.com"), subject: ShortText(validating: "A question"),
        message: LongText(validating: "Do you ship to Mars?")))
    return try #require(try await staff.client.send(CatalogAPI.ListContactMessages()).items.first).id
  }

  /// A user with every role of the staff.
  private func staff(_ test: TestPlatform) async throws -> TestUser {
    let keys = try await SigningKeys.load(Settings([:]), dataFolder: test.folder)
    let id = test.ids.make(UserID.self)
    let now = test.time.source.now().unixSeconds
    let claims = AccessClaims(
      iss: Issuer.name, sub: id.rawValue, aud: ClientApp.web.rawValue, sid: test.ids.text(),
      scope: "account administration", roles: ["user", "owner", "support", "administrator"], iat: now - 60,
      exp: now + 86_400, jti: test.ids.text()
    )
    return TestUser(id: id, token: try await keys.sign(claims), client: test.client)
  }
}
