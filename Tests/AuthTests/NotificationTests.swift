import Contracts
import Crypto
import Foundation
import Persistence
import ServiceKit
import TestKit
import Testing

@testable import AuthService

/// Reminders, push notifications and mails, with real servers.
@Suite(.serialized)
struct NotificationTests {
  private static let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()

  private func remind(_ host: TestPlatform, _ session: Authentication, at time: String, in zone: String = "UTC")
    async throws
    -> Reminder
  {
    try await host.client.with(accessToken: session.accessToken).send(
      AuthAPI.CreateReminder(
        title: ShortText(validating: "Study"), text: Biography(validating: "Chapter 3"),
        localTime: LocalTime(validating: time), timeZone: TimeZoneName(validating: zone))
    )
  }

  // MARK: reminders

  @Test(arguments: [
    ("2026-07-01T08:00:00", "Europe/Berlin", "2026-07-01T06:00:00.000Z"),
    ("2026-12-01T08:00:00", "Europe/Berlin", "2026-12-01T07:00:00.000Z"),
    ("2026-03-29T02:30:00", "Europe/Berlin", "2026-03-29T01:30:00.000Z"),  // a skipped local time
    ("2026-10-25T02:30:00", "Europe/Berlin", "2026-10-25T00:30:00.000Z"),  // an ambiguous local time: the first one
    ("2026-01-01T00:00:00", "Asia/Kathmandu", "2025-12-31T18:15:00.000Z"),
  ])
  func localTimesAreMoments(local: String, zone: String, moment: String) throws {
    let found = Reminders.moment(try LocalTime(validating: local), in: try TimeZoneName(validating: zone))
    #expect(found?.description == moment)
  }

  @Test func remindersFireOnceAlsoAfterARestart() async throws {
    try await TemporaryFolder.run { folder in
      let time = ManualTime()
      let kept = try await TestPlatform.auth(settings: ["data": folder], time: time) { host async throws in
        let ada = try await host.signUp("ada")
        let me = host.client.with(accessToken: ada.accessToken)
        let reminder = try await remind(host, ada, at: "2026-01-01T08:00:00", in: "Europe/Berlin")
        _ = try await remind(host, ada, at: "2026-01-01T09:00:00", in: "Europe/Berlin")
        let withdrawn = try await remind(host, ada, at: "2026-01-01T08:00:00", in: "Europe/Berlin")
        _ = try await me.send(AuthAPI.DeleteReminder(id: withdrawn.id))
        #expect(try await host.auth.runOnce("reminder") == 0)
        return reminder
      }
      time.advance(seconds: 7 * 3600)
      try await TestPlatform.auth(settings: ["data": folder], time: time) { host async throws in
        #expect(try await host.auth.runOnce("reminder") == 1)
        #expect(try await host.auth.runOnce("reminder") == 0)
        let me = host.client.with(accessToken: try await host.logIn("ada").accessToken)
        let list = try await me.send(AuthAPI.ListReminders()).items
        #expect(list.map { $0.firedAt != nil } == [false, true])
        #expect(list.last?.id == kept.id)
        #expect(list.last?.firedAt == time.source.now())
        let page = try await me.send(AuthAPI.ListReminders(limit: PageSize(checked: 1)))
        let rest = try await me.send(AuthAPI.ListReminders(limit: PageSize(checked: 1), cursor: page.nextCursor))
        #expect(page.items + rest.items == list)
        for cursor in ["", "_", "x", "1_2", "9_9_9_9"] {
          let refused = try await problem { _ = try await me.send(AuthAPI.ListReminders(cursor: cursor)) }
          #expect(refused?.errors?.map(\.location) == ["query.cursor"], "\(cursor)")
        }
      }
      let events = try await SQLiteDatabase.peek("\(folder)/auth.sqlite") { db in
        try db.values("SELECT data FROM outbox WHERE type = \(RealtimeEvent.type)", as: String.self)
      }
      #expect(events.count { $0.contains("reminder.due") } == 1)
    }
  }

  @Test func wrongRemindersAreRefused() async throws {
    try await TestPlatform.auth { host async throws in
      let ada = try await host.signUp("ada")
      for (time, zone, location) in [
        ("2026-06-01T08:00:00", "Mars/Olympus", "body.timeZone"), ("2025-06-01T08:00:00", "UTC", "body.localTime"),
      ] {
        let refused = try await problem { _ = try await remind(host, ada, at: time, in: zone) }
        #expect(refused?.errors?.first?.location == location)
      }
    }
  }

  // MARK: push

  @Test func pushesGoToEveryDeviceAndGoneOnesAreDropped() async throws {
    try await TemporaryFolder.run { folder in
      let tls = try await Certificates.make(in: folder)
      let port = try reservedPort()
      let key = P256.Signing.PrivateKey()
      let settings = [
        "apns.url": "https://127.0.0.1:\(port)", "apns.key": key.pemRepresentation, "apns.keyId": "KEY1234567",
        "apns.teamId": "TEAM123456", "apns.topics": "keepfit=app.example.keepfit,web=app.example.web",
        "apns.authoritiesFile": tls.certificate,
      ]
      let script = Self.script.appendingPathComponent("apns.py").path
      try await Python.running([script, "\(port)", tls.certificate, tls.key]) { lines async throws in
        try await TestPlatform.auth(settings: settings) { host async throws in
          let phone = try await host.signUp("ada", app: .keepfit)
          let other = try await host.logIn("ada")
          for (session, letter) in [(phone, "a"), (phone, "b"), (phone, "c"), (other, "d")] {
            let device = AuthAPI.PutDevice(
              id: IDGenerator().make(),
              apnsToken: try PushToken(validating: String(repeating: letter, count: 64)))
            _ = try await host.client.with(accessToken: session.accessToken).send(device)
          }
          _ = try await remind(host, phone, at: "2026-01-01T00:05:00")
          host.time.advance(seconds: 300)
          #expect(try await host.auth.runOnce("reminder") == 1)
          #expect(try await host.auth.runOnce("push") == 4)
          var sent: [JSONValue] = []
          for await line in lines {
            sent.append(try WireJSON.decode(JSONValue.self, from: line.utf8))
            if sent.count == 4 { break }
          }
          let good = try #require(sent.first { $0["kind"]?.string == "good" })
          #expect(good["http"]?.string == "2")
          #expect(good["path"]?.string == "/3/device/" + String(repeating: "a", count: 64))
          #expect(good["headers"]?["apns-topic"]?.string == "app.example.keepfit")
          #expect(good["headers"]?["apns-push-type"]?.string == "alert")
          #expect(good["body"]?["aps"]?["alert"]?["title"]?.string == "Study")
          #expect(good["body"]?["aps"]?["alert"]?["body"]?.string == "Chapter 3")
          let bearer = try #require(good["headers"]?["authorization"]?.string?.split(separator: " ").last)
          try Self.checkProviderToken(String(bearer), key.publicKey)
          // The rate-limited push is sent again later; the two unregistered devices are deleted.
          host.time.advance(seconds: 10)
          #expect(try await host.auth.runOnce("push") == 1)
          #expect(try await host.auth.runOnce("push") == 0)
          let left = try await host.database.read { db in try db.values("SELECT id FROM devices", as: String.self) }
          #expect(left.count == 2)
          // A user who has disabled notifications gets no push, and neither does an ended session.
          var quiet = UserSettings()
          quiet.notifications = false
          let me = host.client.with(accessToken: phone.accessToken)
          _ = try await me.send(AuthAPI.PutSettings(quiet))
          _ = try await remind(host, phone, at: "2026-01-01T00:08:00")
          host.time.advance(seconds: 180)
          #expect(try await host.auth.runOnce("reminder") == 1)
          #expect(try await host.auth.runOnce("push") == 0)
          _ = try await me.send(AuthAPI.PutSettings(UserSettings()))
          _ = try await me.send(AuthAPI.EndSession(id: other.session))
          _ = try await remind(host, phone, at: "2026-01-01T00:11:00")
          host.time.advance(seconds: 180)
          #expect(try await host.auth.runOnce("reminder") == 1)
          #expect(try await host.auth.runOnce("push") == 1)
        }
      }
    }
  }

  private static func checkProviderToken(_ token: String, _ key: P256.Signing.PublicKey) throws {
    let parts = token.split(separator: ".")
    let header = try WireJSON.decode(JSONValue.self, from: try #require(Base64URL.decode(parts[0])))
    let claims = try WireJSON.decode(JSONValue.self, from: try #require(Base64URL.decode(parts[1])))
    #expect(header["alg"]?.string == "ES256")
    #expect(header["kid"]?.string == "KEY1234567")
    #expect(claims["iss"]?.string == "TEAM123456")
    let signature = try P256.Signing.ECDSASignature(rawRepresentation: try #require(Base64URL.decode(parts[2])))
    #expect(key.isValidSignature(signature, for: Data("\(parts[0]).\(parts[1])".utf8)))
  }

  // MARK: mail

  @Test func mailGoesOutBySMTPWithTLS() async throws {
    try await TemporaryFolder.run { folder in
      let tls = try await Certificates.make(in: folder)
      let port = try reservedPort()
      let settings = [
        "mail.url": "smtp://127.0.0.1:\(port)", "mail.username": "quintet", "mail.password": "post-secret",
        "mail.sender": "noreply@example.com", "mail.authoritiesFile": tls.certificate,
      ]
      let script = Self.script.appendingPathComponent("smtp.py").path
      try await Python.running([script, "\(port)", tls.certificate, tls.key]) { lines async throws in
        try await TestPlatform.auth(settings: settings) { host async throws in
          for name in ["refused", "later", "ada"] { _ = try await host.signUp(name) }
          while try await host.auth.runOnce("mail") > 0 {}
          host.time.advance(seconds: 60)
          #expect(try await host.auth.runOnce("mail") == 1)
          #expect(try await host.auth.runOnce("mail") == 0)
          var mails: [JSONValue] = []
          for await line in lines {
            mails.append(try WireJSON.decode(JSONValue.self, from: line.utf8))
            if mails.count == 2 { break }
          }
          #expect(mails.map { $0["to"] } == [["ada@example.com"], ["later@example.com"]])
          let mail = mails[0]
          #expect(mail["tls"] == true)
          #expect(mail["from"]?.string == "noreply@example.com")
          #expect(mail["user"]?.string == "quintet")
          let content = try #require(mail["content"]?.string)
          #expect(content.contains("Subject: Please confirm your e-mail address\r\n"))
          #expect(content.contains("Date: Thu, 01 Jan 2026 00:00:00 +0000\r\n"))
          let code = try #require(try Mail(content).token)
          _ = try await host.client.send(AuthAPI.VerifyEmail(token: code, password: "correct horse ada"))
          #expect(try await host.logIn("ada").user.isEmailVerified)
        }
        // Without the CA certificate nothing is sent.
        var strict = settings
        strict["mail.authoritiesFile"] = nil
        try await TestPlatform.auth(settings: strict) { host async throws in
          _ = try await host.signUp("ada")
          #expect(try await host.auth.runOnce("mail") == 1)
          let left = try await host.database.read { db in
            try db.values("SELECT attempts FROM jobs WHERE kind = 'mail'", as: Int.self)
          }
          #expect(left == [1])
        }
      }
    }
  }
}

extension SQLiteDatabase {
  /// Reads a service's database file.
  fileprivate static func peek<Value: Sendable>(
    _ path: String,
    _ body: @escaping @Sendable (any Connection) throws -> Value
  ) async throws -> Value {
    let database = try SQLiteDatabase(path: path)
    let value = try await database.read(body)
    await database.close()
    return value
  }
}
