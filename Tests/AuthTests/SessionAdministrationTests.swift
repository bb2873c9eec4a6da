import Contracts
import ServiceKit
import TestKit
import Testing

@testable import AuthService

/// The sessions of others as staff see them, and how administrators end them.
@Suite(.serialized)
struct SessionAdministrationTests {
  @Test("staff see where a user is signed in, and it is recorded", arguments: TestDatabase.allCases)
  func sessionsAreListed(_ database: TestDatabase) async throws {
    try await TestPlatform.auth(database: database) { host async throws in
      let support = try await host.staff(.support)
      let phone = try await host.signUp("ada", app: .keepfit)
      host.time.advance(seconds: 60)
      let browser = try await host.logIn("ada")
      let seen = try await support.client.send(AuthAPI.AdminListSessions(id: phone.user.id)).items
      #expect(seen.map(\.id) == [browser.session, phone.session])
      #expect(seen.map(\.app) == [.web, .keepfit])
      #expect(seen[0].lastUsedAt.seconds(since: seen[1].lastUsedAt) == 60)
      let entry = try #require(try await host.entries("sessions.viewed").first)
      #expect(entry.actor == "user:\(support.id)")
      #expect(entry.object == "user:\(phone.user.id)")
      #expect(entry.changes.compactMap(\.after) == seen.map { "session:\($0.id)" })
    }
  }

  @Test("an administrator ends one session of a user, and then all", arguments: TestDatabase.allCases)
  func sessionsAreEnded(_ database: TestDatabase) async throws {
    try await TestPlatform.auth(database: database) { host async throws in
      let admin = try await host.staff(.administrator)
      let sessions = [try await host.signUp("ada"), try await host.logIn("ada"), try await host.logIn("ada")]
      let ada = sessions[0].user.id
      _ = try await admin.client.send(AuthAPI.AdminEndSession(id: ada, session: sessions[0].session))
      _ = try await admin.client.send(AuthAPI.AdminEndSession(id: ada, session: sessions[0].session))
      let ended = try await problem { _ = try await host.refresh(sessions[0].refreshToken) }
      #expect(ended?.is(.refreshTokenInvalid) == true)
      let left = try await admin.client.send(AuthAPI.AdminListSessions(id: ada)).items
      #expect(Set(left.map(\.id)) == [sessions[1].session, sessions[2].session])

      _ = try await admin.client.send(AuthAPI.AdminEndSessions(id: ada))
      #expect(try await admin.client.send(AuthAPI.AdminListSessions(id: ada)).items.isEmpty)
      for session in sessions.dropFirst() {
        let refused = try await problem { _ = try await host.refresh(session.refreshToken) }
        #expect(refused?.is(.refreshTokenInvalid) == true)
      }
      // Ending what has ended leaves no further entry.
      let entries = try await host.entries("account.sessions-ended", of: "user:\(ada)")
      #expect(entries.map(\.actor) == ["user:\(admin.id)", "user:\(admin.id)"])
      #expect(entries.flatMap(\.changes).map(\.before) == ["2", "1"])
      #expect(try await host.entries("session.ended", of: "session:\(sessions[0].session)").count == 1)
      _ = try await host.logIn("ada")
    }
  }

  @Test("support ends nothing, others see nothing, and a session belongs to its user")
  func onlyAdministratorsEndSessions() async throws {
    try await TestPlatform.auth { host async throws in
      let (admin, support) = (try await host.staff(.administrator), try await host.staff(.support))
      let (owner, ada) = (try await host.staff(.owner), TestUser(try await host.signUp("ada"), host.client))
      let bob = try await host.signUp("bob")
      let end = AuthAPI.AdminEndSession(id: bob.user.id, session: bob.session)
      for other in [support, owner, ada] {
        #expect(try await problem { _ = try await other.client.send(end) }?.is(.forbidden) == true)
        let all = AuthAPI.AdminEndSessions(id: bob.user.id)
        #expect(try await problem { _ = try await other.client.send(all) }?.is(.forbidden) == true)
      }
      for other in [owner, ada] {
        let list = AuthAPI.AdminListSessions(id: bob.user.id)
        #expect(try await problem { _ = try await other.client.send(list) }?.is(.forbidden) == true)
      }
      let foreign = AuthAPI.AdminEndSession(id: ada.id, session: bob.session)
      #expect(try await problem { _ = try await admin.client.send(foreign) }?.is(.sessionNotFound) == true)
      let unknown = AuthAPI.AdminListSessions(id: host.ids.make())
      #expect(try await problem { _ = try await admin.client.send(unknown) }?.is(.userNotFound) == true)
      _ = try await host.refresh(bob.refreshToken)
    }
  }

  @Test("a stolen token of an administrator ends nothing")
  func endingRequiresProof() async throws {
    try await TestPlatform.auth { host async throws in
      let (admin, ada) = (try await host.staff(.administrator), try await host.signUp("ada"))
      host.time.advance(seconds: 301)
      let one = AuthAPI.AdminEndSession(id: ada.user.id, session: ada.session)
      #expect(try await problem { _ = try await admin.client.send(one) }?.is(.recentSignInRequired) == true)
      let all = AuthAPI.AdminEndSessions(id: ada.user.id)
      #expect(try await problem { _ = try await admin.client.send(all) }?.is(.recentSignInRequired) == true)
      #expect(try await admin.client.send(AuthAPI.AdminListSessions(id: ada.user.id)).items.map(\.id) == [ada.session])
    }
  }
}
