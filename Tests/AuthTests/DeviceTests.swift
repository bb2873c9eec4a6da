import Contracts
import Crypto
import Foundation
import Persistence
import ServiceKit
import TestKit
import Testing

@testable import AuthService

/// Devices and their next owners.
@Suite(.serialized)
struct DeviceTests {
  private static func register(_ id: DeviceID, _ letter: String, _ session: Authentication, _ host: TestPlatform)
    async throws
  {
    let device = AuthAPI.PutDevice(id: id, apnsToken: try PushToken(validating: String(repeating: letter, count: 64)))
    _ = try await host.client.with(accessToken: session.accessToken).send(device)
  }

  private static func owners(_ host: TestPlatform) async throws -> [String: UserID] {
    let rows = try await host.database.read { db in
      try db.all("SELECT id, user_id FROM devices") { row -> (String, UserID) in (try row["id"], try row["user_id"]) }
    }
    return Dictionary(uniqueKeysWithValues: rows)
  }

  /// The attack: someone knows the ID of a phone and registers it as theirs.
  @Test(arguments: TestDatabase.allCases)
  func aDevicesIDAloneMovesNothing(_ database: TestDatabase) async throws {
    try await TestPlatform.auth(database: database) { host async throws in
      let (ada, eve) = (try await host.signUp("ada"), try await host.signUp("eve"))
      let phone: DeviceID = host.ids.make()
      try await Self.register(phone, "a", ada, host)
      let refused = try await problem { try await Self.register(phone, "e", eve, host) }
      #expect(refused?.code == "device-taken")
      #expect(try await Self.owners(host) == [phone.rawValue: ada.user.id])
      // The owner's phone gets another push token.
      try await Self.register(phone, "b", ada, host)
      #expect(try await Self.owners(host) == [phone.rawValue: ada.user.id])
      // With its token, the phone has been given to its next owner; without a session, no one holds it.
      try await Self.register(phone, "b", eve, host)
      #expect(try await Self.owners(host) == [phone.rawValue: eve.user.id])
      let me = host.client.with(accessToken: eve.accessToken)
      _ = try await me.send(AuthAPI.LogOut(scope: .local))
      #expect(try await Self.owners(host) == [:])
      try await Self.register(phone, "c", ada, host)
      #expect(try await Self.owners(host) == [phone.rawValue: ada.user.id])
    }
  }

  @Test func anUnusedPhoneIsNotHeldForever() async throws {
    try await TestPlatform.auth { host async throws in
      let ada = try await host.signUp("ada")
      let phone: DeviceID = host.ids.make()
      try await Self.register(phone, "a", ada, host)
      host.time.advance(seconds: 31 * 86_400)
      let eve = try await host.signUp("eve")
      try await Self.register(phone, "e", eve, host)
      #expect(try await Self.owners(host) == [phone.rawValue: eve.user.id])
    }
  }

  /// A reminder waits for its delivery while the phone changes hands.
  @Test func aReminderNeverReachesThePhonesNextOwner() async throws {
    try await TemporaryFolder.run { folder in
      let tls = try await Certificates.make(in: folder)
      let port = try reservedPort()
      let settings = [
        "apns.url": "https://127.0.0.1:\(port)", "apns.key": P256.Signing.PrivateKey().pemRepresentation,
        "apns.keyId": "KEY1234567", "apns.teamId": "TEAM123456", "apns.topics": "web=app.example.web",
        "apns.authoritiesFile": tls.certificate,
      ]
      let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("apns.py").path
      try await Python.running([script, "\(port)", tls.certificate, tls.key]) { lines async throws in
        try await TestPlatform.auth(settings: settings) { host async throws in
          let (ada, eve) = (try await host.signUp("ada"), try await host.signUp("eve"))
          let phone: DeviceID = host.ids.make()
          try await Self.register(phone, "a", ada, host)
          for (session, title) in [(ada, "Therapy"), (eve, "Study")] {
            _ = try await host.client.with(accessToken: session.accessToken).send(
              AuthAPI.CreateReminder(
                title: ShortText(validating: title), localTime: LocalTime(validating: "2026-01-01T00:05:00"),
                timeZone: TimeZoneName(validating: "UTC")))
          }
          host.time.advance(seconds: 300)
          #expect(try await host.auth.runOnce("reminder") == 2)
          #expect(
            try await host.database.read { db in try db.count("SELECT COUNT(*) FROM jobs WHERE kind = 'push'") } == 1)
          try await Self.register(phone, "a", eve, host)
          #expect(try await host.auth.runOnce("push") == 1)
          #expect(try await host.auth.runOnce("push") == 0)
          // The first registration on the phone is its owner's.
          _ = try await host.client.with(accessToken: eve.accessToken).send(
            AuthAPI.CreateReminder(
              title: ShortText(validating: "Walk"), localTime: LocalTime(validating: "2026-01-01T00:06:00"),
              timeZone: TimeZoneName(validating: "UTC")))
          host.time.advance(seconds: 60)
          #expect(try await host.auth.runOnce("reminder") == 1)
          #expect(try await host.auth.runOnce("push") == 1)
          var iterator = lines.makeAsyncIterator()
          let first = try WireJSON.decode(JSONValue.self, from: try #require(await iterator.next()).utf8)
          #expect(first["body"]?["aps"]?["alert"]?["title"]?.string == "Walk")
        }
      }
    }
  }
}
