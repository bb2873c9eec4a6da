import Contracts
import Foundation
import Persistence
import ServiceKit
import TestKit
import Testing

@testable import AuthService

/// The actions of staff on the accounts of others, and their traces.
@Suite(.serialized)
struct StaffTests {
  private func patch(bio: String) throws -> ProfilePatch {
    var patch = ProfilePatch()
    patch.bio = .set(try Biography(validating: bio))
    return patch
  }

  @Test("AR15: administrators edit a profile with a reason, and its user is notified", arguments: TestDatabase.allCases)
  func profilesAreEditedWithAReason(_ database: TestDatabase) async throws {
    try await TestPlatform.auth(database: database) { host async throws in
      let admin = try await host.staff(.administrator)
      let ada = try await host.signUp("ada")
      let code = try #require(try await host.mailedCodes(to: "ada@example.com").last)
      _ = try await host.client.with(accessToken: ada.accessToken).send(AuthAPI.VerifyEmail(token: code))
      let change = AuthAPI.AdminUpdateUser(
        id: ada.user.id, displayName: try DisplayName(validating: "Harmless"), details: try patch(bio: "Removed words"))
      let missing = try await problem { _ = try await admin.client.send(change) }
      #expect(missing?.errors?.first?.location == "body.reason")
      var justified = change
      justified.reason = try ShortText(validating: "The name was an insult")
      #expect(try await admin.client.send(justified).displayName == "Harmless")

      let me = try await host.client.with(accessToken: ada.accessToken).send(AuthAPI.GetMe())
      #expect(me.displayName == "Harmless")
      #expect(me.details.bio?.rawValue == "Removed words")
      // The session goes on, because rights have not changed.
      _ = try await host.refresh(ada.refreshToken)
      let entry = try #require(try await host.entries("profile.edited").first)
      #expect(entry.actor == "user:\(admin.id)")
      #expect(entry.object == "user:\(ada.user.id)")
      #expect(entry.changes.contains(AuditChange("reason", from: nil, to: "The name was an insult")))
      #expect(entry.changes.map(\.field).sorted() == ["bio", "displayName", "reason"])
      // The values are not in the trail.
      let stored = try await host.database.read { db in try db.values("SELECT changes FROM audit", as: String.self) }
      #expect(!stored.contains { $0.contains("Removed words") || $0.contains("Harmless") })

      let events = try await host.recorded(RealtimeEvent.self, by: AuthAPI.self).filter { $0.name == "account.edited" }
      #expect(events.map(\.userID) == [ada.user.id])
      #expect(events.first?.data["reason"]?.string == "The name was an insult")
      while try await host.auth.runOnce("mail") > 0 {}
      let mails = try host.mails(deliveredTo: "ada@example.com")
      #expect(mails.contains { $0.text.contains("The name was an insult") })
    }
  }

  @Test("AR15: no one else edits profiles")
  func onlyAdministratorsEditProfiles() async throws {
    try await TestPlatform.auth { host async throws in
      let ada = try await host.signUp("ada")
      let change = AuthAPI.AdminUpdateUser(
        id: ada.user.id, displayName: try DisplayName(validating: "X"), reason: try ShortText(validating: "Because"))
      let delete = AuthAPI.AdminDeleteUser(id: ada.user.id, reason: try ShortText(validating: "Because"))
      let user = TestUser(try await host.signUp("eve"), host.client)
      for other in [user, try await host.staff(.support), try await host.staff(.owner)] {
        #expect(try await problem { _ = try await other.client.send(change) }?.is(.forbidden) == true)
        #expect(try await problem { _ = try await other.client.send(delete) }?.is(.forbidden) == true)
      }
      #expect(try await host.entries("profile.edited").isEmpty)
      let admin = try await host.staff(.administrator)
      var unknown = change
      unknown.id = host.ids.make()
      #expect(try await problem { _ = try await admin.client.send(unknown) }?.is(.userNotFound) == true)
    }
  }

  @Test("AR15: administrators delete accounts with a reason, except the last of their own")
  func accountsAreDeletedWithAReason() async throws {
    try await TestPlatform.auth { host async throws in
      let admin = try await host.staff(.administrator)
      let owner = try await host.staff(.owner)
      let reason = try ShortText(validating: "Asked by letter")
      _ = try await admin.client.send(AuthAPI.AdminDeleteUser(id: owner.id, reason: reason))
      #expect(try await problem { _ = try await host.logIn("owner") }?.is(.invalidCredentials) == true)
      let entry = try #require(try await host.entries("account.deleted").first)
      #expect(entry.object == "user:\(owner.id)")
      #expect(entry.changes == [AuditChange("reason", from: nil, to: "Asked by letter")])
      while try await host.auth.runOnce("mail") > 0 {}
      #expect(try host.mails(deliveredTo: "owner@example.com").contains { $0.text.contains("Asked by letter") })
      let again = AuthAPI.AdminDeleteUser(id: owner.id, reason: reason)
      #expect(try await problem { _ = try await admin.client.send(again) }?.is(.userNotFound) == true)
      let last = AuthAPI.AdminDeleteUser(id: admin.id, reason: reason)
      #expect(try await problem { _ = try await admin.client.send(last) }?.is(.lastAdministrator) == true)
    }
  }

  @Test("LS13: staff who look at a profile leave an entry, users do not", arguments: TestDatabase.allCases)
  func profileViewsByStaffAreAudited(_ database: TestDatabase) async throws {
    try await TestPlatform.auth(database: database) { host async throws in
      let support = try await host.staff(.support)
      let ada = TestUser(try await host.signUp("ada"), host.client)
      let bob = TestUser(try await host.signUp("bob"), host.client)
      _ = try await bob.client.send(AuthAPI.GetUser(id: ada.id))
      _ = try await bob.client.send(AuthAPI.SearchUsers(query: "ada"))
      _ = try await support.client.send(AuthAPI.GetUser(id: support.id))
      #expect(try await host.entries("profile.viewed").isEmpty)
      #expect(try await host.entries("profiles.viewed").isEmpty)
      _ = try await support.client.send(AuthAPI.GetUser(id: ada.id))
      _ = try await support.client.send(AuthAPI.SearchUsers(query: "bob"))
      let view = try #require(try await host.entries("profile.viewed").first)
      #expect((view.actor, view.object) == ("user:\(support.id)", "user:\(ada.id)"))
      #expect(view.app == .web)
      let list = try #require(try await host.entries("profiles.viewed").first)
      #expect(list.changes == [AuditChange("viewed", from: nil, to: "user:\(bob.id)")])
    }
  }

  @Test("S20: an export does not reveal where staff were")
  func exportsBlankStaff() async throws {
    try await TestPlatform.auth { host async throws in
      let admin = try await host.staff(.administrator)
      let ada = try await host.signUp("ada")
      let me = host.client.with(accessToken: ada.accessToken)
      let change = AuthAPI.AdminUpdateUser(
        id: ada.user.id, displayName: try DisplayName(validating: "X"), reason: try ShortText(validating: "Because"))
      _ = try await host.send(
        .patch, "/v1/admin/users/\(ada.user.id)",
        String(decoding: try WireJSON.encode(change.bodyForTests), as: UTF8.self),
        headers: [("x-forwarded-for", "203.0.113.9"), ("x-device", "Staff's own telephone")], by: admin)
      // As if they had come over a network.
      _ = try await host.database.write { tx in
        try tx.execute("UPDATE audit SET address = '203.0.113.9' WHERE actor = \("user:\(admin.id)")")
        try tx.execute("UPDATE audit SET address = '198.51.100.7' WHERE actor = \("user:\(ada.user.id)")")
      }
      let export = try await me.send(AuthAPI.ExportMe())
      let text = String(decoding: try WireJSON.encode(export), as: UTF8.self)
      #expect(text.contains("profile.edited"))
      #expect(text.contains("Because"))
      #expect(text.contains("198.51.100.7"))
      #expect(!text.contains("203.0.113.9"))
      #expect(!text.contains("Staff's own telephone"))
      let session = try #require(try await host.entries("profile.edited").first?.session)
      #expect(!text.contains(session.rawValue))
    }
  }
}

extension AuthAPI.AdminUpdateUser {
  /// The body as it is sent.
  fileprivate var bodyForTests: JSONValue {
    .object([
      ("displayName", displayName.map { .string($0.rawValue) }), ("reason", reason.map { .string($0.rawValue) }),
    ])
  }
}
