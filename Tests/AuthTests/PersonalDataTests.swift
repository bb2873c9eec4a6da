import Contracts
import Foundation
import GatewayService
import Persistence
import ServiceKit
import TestKit
import Testing

@testable import AuthService

/// Personal data: encrypted at rest, exported to its owner, erased with the account.
@Suite(.serialized)
struct PersonalDataTests {
  /// Another service that stores personal data.
  private struct Diary: ServicePlugin, Feature {
    static let manifest = Manifest(
      name: "diary",
      consumes: [.init(from: AuthAPI.self, [UserRegistered.self, UserDeleted.self])],
      migrations: [
        Migration("diary-001", why: "entries", ["CREATE TABLE entries (user_id TEXT PRIMARY KEY, text TEXT NOT NULL)"])
      ]
    )
    let database: any Database

    init(environment: ServiceEnvironment) async throws { database = try environment.database }

    func register(in routes: inout Routes) {
      routes.on(UserRegistered.self) { event, tx in
        try tx.execute("INSERT INTO entries VALUES (\(event.userID), \("Dear diary of \(event.userID)"))")
      }
    }

    func export(_ user: UserID, in db: any Connection) throws -> [(section: String, content: JSONValue)] {
      try db.values("SELECT text FROM entries WHERE user_id = \(user)", as: String.self).map { ("entry", .string($0)) }
    }

    func erase(_ user: UserID, in tx: Transaction) throws {
      try tx.execute("DELETE FROM entries WHERE user_id = \(user)")
    }
  }

  private func fillIn(_ me: APIClient) async throws {
    var patch = ProfilePatch()
    patch.firstName = .set(try PersonName(validating: "Augustafirst"))
    patch.lastName = .set(try PersonName(validating: "Byronlast"))
    patch.phone = .set(try PhoneNumber(validating: "+442079460123"))
    patch.birthday = .set(try #require(CalendarDate("1815-12-10")))
    patch.bio = .set(try Biography(validating: "Bioofaugusta"))
    patch.school = .set(try ShortText(validating: "Schoolofaugusta"))
    _ = try await me.send(
      AuthAPI.UpdateMe(displayName: DisplayName(validating: "Displayofaugusta"), details: patch)
    )
    _ = try await me.send(
      AuthAPI.CreateReminder(
        title: ShortText(validating: "Remindaugusta"), localTime: LocalTime(validating: "2030-01-01T08:00:00"),
        timeZone: TimeZoneName(validating: "Europe/London"))
    )
  }

  /// The content of every database file.
  private func files(_ folder: String) throws -> [(name: String, bytes: Data)] {
    try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.contains(".sqlite") }.map {
      ($0, try Data(contentsOf: URL(fileURLWithPath: "\(folder)/\($0)")))
    }
  }

  @Test func nothingPersonalRestsReadable() async throws {
    try await TestPlatform.auth { host async throws in
      let ada = try await host.signUp("augusta")
      try await fillIn(host.client.with(accessToken: ada.accessToken))
      _ = try await host.client.send(
        AuthAPI.ForgotPassword(email: EmailAddress(validating: "augusta@example.com"))
      )
      let found = try files(host.folder)
      #expect(found.contains { $0.name == "auth.sqlite" })
      // Display names are searchable and therefore readable, which proves that the check below works.
      #expect(found.contains { $0.bytes.range(of: Data("Displayofaugusta".utf8)) != nil })
      for value in [
        "augusta@example.com", "Augustafirst", "Byronlast", "442079460123", "1815-12-10", "Bioofaugusta",
        "Schoolofaugusta", "Remindaugusta", "correct horse",
      ] {
        for file in found { #expect(file.bytes.range(of: Data(value.utf8)) == nil, "\(value) in \(file.name)") }
      }
    }
  }

  @Test func deletedPeopleLeaveNoByteBehind() async throws {
    try await TestPlatform.listen([GatewayPlugin.self, AuthPlugin.self, Diary.self]) { host, _ async throws in
      let ada = try await host.signUp("augusta")
      let bob = try await host.signUp("bernard")
      let me = host.client.with(accessToken: ada.accessToken)
      try await fillIn(me)
      try await eventually("the diary entry is exported") {
        let export = try await me.send(AuthAPI.ExportMe())
        return export["services"]?["diary"]?["entry"]?.string == "Dear diary of \(ada.user.id)"
      }
      let export = try await me.send(AuthAPI.ExportMe())
      let auth = try #require(export["services"]?["auth"])
      #expect(auth["account"]?["email"]?.string == "augusta@example.com")
      #expect(auth["account"]?["details"]?["firstName"]?.string == "Augustafirst")
      guard case .array(let reminders)? = auth["reminders"], case .array(let sessions)? = auth["sessions"] else {
        Issue.record("the export lacks reminders or sessions")
        return
      }
      #expect(reminders.first?["title"]?.string == "Remindaugusta")
      #expect(sessions.count == 1)

      _ = try await me.send(AuthAPI.DeleteMe())
      let gone = try await problem { _ = try await host.refresh(ada.refreshToken) }
      #expect(gone?.is(.refreshTokenInvalid) == true)
      #expect(try await problem { _ = try await host.logIn("augusta") }?.is(.invalidCredentials) == true)
      let other = host.client.with(accessToken: bob.accessToken)
      #expect(
        try await problem { _ = try await other.send(AuthAPI.GetUser(id: ada.user.id)) }?.is(.userNotFound) == true)
      #expect(try await other.send(AuthAPI.SearchUsers(query: "augusta")).items.isEmpty)
      let values = [
        "augusta@example.com", "augusta", "Augustafirst", "Byronlast", "442079460123", "Bioofaugusta",
        "Schoolofaugusta", "Displayofaugusta", "displayofaugusta", "Remindaugusta", "Dear diary of \(ada.user.id)",
      ]
      try await eventually("no file contains personal data") {
        // The diary's file is truncated by its own housekeeping; its rows are checked below.
        try files(host.folder).filter { !$0.name.hasPrefix("diary") }.allSatisfy { file in
          values.allSatisfy { file.bytes.range(of: Data($0.utf8)) == nil }
        }
      }
      let diary = try SQLiteDatabase(path: "\(host.folder)/diary.sqlite")
      try await eventually("only the other user's diary entry is left") {
        try await diary.read { db in try db.values("SELECT user_id FROM entries", as: UserID.self) }
          == [bob.user.id]
      }
      await diary.close()
      // The audit trail records the deletion.
      let trail = try await AuditTrail(host.database).search(
        AuditFilter(object: "user:\(ada.user.id)", action: "account.deleted"),
        limit: 10,
        cursor: nil
      )
      #expect(trail.items.first?.actor == "user:\(ada.user.id)")
      // The username and the email address are free again.
      let again = try await host.signUp("augusta")
      #expect(again.user.id != ada.user.id)
    }
  }

  @Test func keysAreRotatedUnderARunningService() async throws {
    try await TestPlatform.auth { host async throws in
      let ada = try await host.signUp("augusta")
      let me = host.client.with(accessToken: ada.accessToken)
      try await fillIn(me)
      let before = try await me.send(AuthAPI.GetMe())
      let ring = try String(contentsOfFile: "\(host.folder)/data-keys", encoding: .utf8)
      let output = try await Command.run([
        ServiceProcess.executable("quintet").path, "keys", "rotate", "--data", host.folder,
      ])
      #expect(output.contains("re-encrypted"))
      let rotated = try String(contentsOfFile: "\(host.folder)/data-keys", encoding: .utf8)
      #expect(rotated.hasSuffix(ring))
      #expect(rotated != ring)
      let name = try #require(rotated.split(separator: ":").first)
      let values = try await host.database.read { db in
        try db.values(
          "SELECT profile FROM users UNION ALL SELECT content FROM reminders UNION ALL SELECT payload FROM jobs",
          as: String.self
        )
      }
      #expect(values.count >= 3)
      #expect(values.allSatisfy { $0.hasPrefix("v1.\(name).") })
      // The running process reads the new key ring, and lookups still work.
      #expect(try await me.send(AuthAPI.GetMe()) == before)
      _ = try await host.logIn("augusta@example.com", "correct horse augusta")
    }
  }

  @Test func aDatabaseKnowsItsKeys() async throws {
    try await TemporaryFolder.run { folder in
      try await TestPlatform.auth(settings: ["data": folder]) { host async throws in _ = try await host.signUp("ada") }
      try FileManager.default.removeItem(atPath: "\(folder)/data-keys")
      let failure = await #expect(throws: SettingError.self) {
        try await TestPlatform.auth(settings: ["data": folder]) { _ in }
      }
      #expect(failure?.description.contains("data.keys") == true)
    }
  }

  @Test func sealedValuesBelongToTheirPlace() async throws {
    try await TemporaryFolder.run { folder in
      let keys = try DataKeys.forTests(folder)
      let column = SealedColumn("users", "profile")
      let sealed = try keys.seal(Array("secret".utf8), in: column, row: "1")
      #expect(try keys.open(sealed, in: column, row: "1") == Array("secret".utf8))
      #expect(throws: DataKeys.UnreadableValue.self) { try keys.open(sealed, in: column, row: "2") }
      #expect(throws: DataKeys.UnreadableValue.self) {
        try keys.open(sealed, in: SealedColumn("users", "other"), row: "1")
      }
      var forged = sealed
      forged.replaceSubrange(forged.index(before: forged.endIndex)..., with: sealed.hasSuffix("A") ? "E" : "A")
      #expect(throws: DataKeys.UnreadableValue.self) { try keys.open(forged, in: column, row: "1") }
      #expect(try keys.seal([1], in: column, row: "1") != keys.seal([1], in: column, row: "1"))
      #expect(keys.lookup("a", for: "x") == keys.lookup("a", for: "x"))
      #expect(keys.lookup("a", for: "x") != keys.lookup("a", for: "y"))
    }
  }

  @Test func alteredAuditEntriesAreNoticed() async throws {
    try await TestPlatform.auth { host async throws in
      _ = try await host.signUp("ada")
      for _ in 0..<5 { _ = try await host.logIn("ada") }
      func verify() async throws -> (text: String, status: Int32) {
        let output = Pipe()
        let command = try Command(
          [ServiceProcess.executable("quintet").path, "audit", "verify", "--data", host.folder],
          output: output
        )
        let text = String(decoding: await output.readToEnd(), as: UTF8.self)
        return (text, await command.end())
      }
      let whole = try await verify()
      #expect(whole.status == 0)
      #expect(whole.text.contains("auth: 7 entries verified"))
      _ = try await host.database.write { tx in
        try tx.execute("UPDATE audit SET address = '192.0.2.1' WHERE sequence = 3")
      }
      let broken = try await verify()
      #expect(broken.status == 1)
      #expect(broken.text.contains("auth: broken at entry 3"))
    }
  }
}
