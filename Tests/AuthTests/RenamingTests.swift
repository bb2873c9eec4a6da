import Contracts
import Persistence
import ServiceKit
import TestKit
import Testing

@testable import AuthService

/// A stolen access token does not change the name with which its user signs in.
@Suite(.serialized)
struct RenamingTests {
  private func rename(_ session: Authentication, _ name: String, _ host: TestPlatform) async throws -> String? {
    try await problem {
      _ = try await host.client(session).send(AuthAPI.UpdateMe(username: Username(validating: name)))
    }?.code
  }

  private func signUp(_ name: String, _ host: TestPlatform) async throws -> String? {
    try await problem {
      _ = try await host.client.signUp(email: nil, username: name, password: "correct horse \(name)")
    }?.code
  }

  @Test("a stolen token does not change the username", arguments: TestDatabase.allCases)
  func aTokenAloneDoesNotRename(_ database: TestDatabase) async throws {
    try await TestPlatform.auth(database: database) { host async throws in
      let session = try await host.signUp("ada")
      try await host.proveAddress(of: "ada")
      host.time.advance(seconds: 301)
      #expect(try await rename(session, "mallory", host) == "recent-sign-in-required")
      #expect(try await host.client(session).send(AuthAPI.GetMe()).username == "ada")
      // Other changes need no proof.
      let other = AuthAPI.UpdateMe(displayName: try DisplayName(validating: "Ada"), username: Username(checked: "ada"))
      _ = try await host.client(session).send(other)
      _ = try await host.client(session).send(AuthAPI.Prove(password: "correct horse ada"))
      #expect(try await rename(session, "lovelace", host) == nil)
      while try await host.auth.runOnce("mail") > 0 {}
      let mails = try host.mails(deliveredTo: "ada@example.com")
      #expect(mails.count { $0.text.contains("username of your account was changed") } == 1)
    }
  }

  @Test("no one takes a name as soon as it is given up", arguments: TestDatabase.allCases)
  func formerNamesAreReserved(_ database: TestDatabase) async throws {
    try await TestPlatform.auth(database: database) { host async throws in
      let session = try await host.signUp("ada")
      #expect(try await rename(session, "lovelace", host) == nil)
      #expect(try await signUp("ada", host) == "username-taken")
      let other = try await host.signUp("bob")
      #expect(try await rename(other, "ada", host) == "username-taken")
      let accounts = try host.auth.core.accounts
      let free = try await host.database.write { tx in try accounts.firstFree(["ada", "ada2"], in: tx) }
      #expect(free == "ada2")
      // Its user takes it back.
      #expect(try await rename(session, "ada", host) == nil)
      #expect(try await rename(session, "lovelace", host) == nil)
      let stored = try await host.database.read {
        try $0.values("SELECT hash FROM reserved_usernames", as: String.self)
      }
      #expect(stored.count == 2)
      #expect(!stored.contains("ada"))
      host.time.advance(seconds: 31 * 86_400)
      try await host.auth.runOnce("auth.purge")
      #expect(try await host.database.read { try $0.count("SELECT COUNT(*) FROM reserved_usernames") } == 0)
      #expect(try await signUp("ada", host) == nil)
    }
  }

  @Test("a stolen token of an administrator gives no one another name", arguments: TestDatabase.allCases)
  func administratorsRenameWithARecentProof(_ database: TestDatabase) async throws {
    try await TestPlatform.auth(database: database) { host async throws in
      let ada = try await host.signUp("ada")
      let boss = try await host.staff(.administrator)
      host.time.advance(seconds: 301)
      let rename = AuthAPI.AdminUpdateUser(
        id: ada.user.id, username: try Username(validating: "mallory"), reason: try ShortText(validating: "Because"))
      #expect(try await host.needsProof { _ = try await boss.client.send(rename) })
      #expect(try await host.logIn("ada").user.username == "ada")
      #expect(try await host.audited("profile.edited") == 0)
      // An unused sign-in method needs no proof.
      let display = AuthAPI.AdminUpdateUser(
        id: ada.user.id, displayName: try DisplayName(validating: "Ada"), reason: try ShortText(validating: "Because"))
      #expect(try await boss.client.send(display).displayName == "Ada")
      _ = try await boss.client.send(AuthAPI.Prove(password: "correct horse administrator"))
      #expect(try await boss.client.send(rename).username == "mallory")
      #expect(try await signUp("ada", host) == "username-taken")
    }
  }

  @Test("a name that a school's list replaces is reserved", arguments: TestDatabase.allCases)
  func namesOfMembersAreReserved(_ database: TestDatabase) async throws {
    try await TestPlatform.auth(database: database) { host async throws in
      let (_, school) = try await host.school()
      let kim = try await school.add("kim")
      let report = try await school.importList(["n-kim,kimberly,,,,"])
      #expect(report.report == ImportReport(updated: 1))
      #expect(try await signUp("kim", host) == "username-taken")
      // The member gets it back by the list.
      #expect(try await school.importList(["n-kim,kim,,,,"]).report == ImportReport(updated: 1))
      let name = try await host.database.read { [accounts = try host.auth.core.accounts] db in
        try accounts.get(kim.userID, in: db).account.username
      }
      #expect(name == "kim")
    }
  }

  @Test func aDeletedAccountKeepsNoName() async throws {
    try await TestPlatform.auth { host async throws in
      let session = try await host.signUp("ada")
      // Renaming again and again collects no names.
      for number in 0..<8 { #expect(try await rename(session, "name\(number)", host) == nil) }
      #expect(try await host.database.read { try $0.count("SELECT COUNT(*) FROM reserved_usernames") } == 5)
      #expect(try await signUp("ada", host) == "username-taken")
      #expect(try await signUp("name6", host) == nil)
      _ = try await host.client(session).send(AuthAPI.DeleteMe())
      #expect(try await host.database.read { try $0.count("SELECT COUNT(*) FROM reserved_usernames") } == 0)
    }
  }
}
