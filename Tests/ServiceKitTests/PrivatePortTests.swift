import Contracts
import CurlClient
import Foundation
import HTTPServing
import HTTPTypes
import Persistence
import TestKit
import Testing

@testable import ServiceKit

/// The limits of whoever reaches the private port, or is another user of the machine.
@Suite(.serialized)
struct PrivatePortTests {
  private static let auth = ["services.auth.url": "http://127.0.0.1:1"]

  private func retry(_ web: TestPlatform.Web, token: String?) async throws -> Int {
    let headers: HTTPFields = token.map { [.authorization: "Bearer \($0)"] } ?? [:]
    return try await web.http.send(
      ClientRequest(.post, origin: web.privateURL, target: "/dead-letters/retry", headers: headers)
    ).status
  }

  @Test func metricsNeedNoDatabase() async throws {
    let url = ["services.auth.url": "http://127.0.0.1:1"]
    try await TestPlatform.listen([GuestbookPlugin.self], settings: url) { test, web async throws in
      func get(_ target: String) async throws -> (Int, String) {
        let response = try await web.http.send(ClientRequest(origin: web.privateURL, target: target))
        return (response.status, String(decoding: try await response.body.collect(upTo: 1 << 20), as: UTF8.self))
      }
      try await eventually("the database is sampled") { try await get("/metrics").1.contains("jobs_dropped{") }
      try await eventually("the event loops are measured") {
        try await get("/metrics").1.contains(/event_loop_delay_seconds_count [1-9]/)
      }
      #expect(try await get("/jobs") == (200, #"[{"service":"guestbook","queues":[],"dropped":[]}]"#))
      await test.platform.database(of: "guestbook")?.close()
      let (status, text) = try await get("/metrics")
      #expect(status == 200)
      #expect(text.contains(#"outbox_pending{service="guestbook"} 0"#))
      #expect(try await get("/readyz").0 == 503)
    }
  }

  @Test func deadLettersAreRetriedWithATokenOnly() async throws {
    let token = String(repeating: "t", count: 32)
    try await TestPlatform.listen(
      [GuestbookPlugin.self], settings: Self.auth.merging(["operations.token": token]) { $1 }
    ) { test, web in
      let database = try #require(test.platform.database(of: "guestbook"))
      // Not due for long, so that no worker touches it.
      try await database.write { tx in
        _ = try tx.execute(
          """
          INSERT INTO outbox (id, type, subject, data, recorded_at, sequence, lane, position)
          VALUES ('event', 'test', 'subject', '{}', \(tx.now), 1, 0, 1)
          """)
        _ = try tx.execute(
          """
          INSERT INTO event_retries (subscriber, event_id, subject, sequence, attempts, due_at, is_dead)
          VALUES ('nobody', 'event', 'subject', 1, 9, \(tx.now.advanced(bySeconds: 86_400)), 1)
          """)
      }
      func dead() async throws -> Int {
        try await database.read { try $0.count("SELECT COUNT(*) FROM event_retries WHERE is_dead = 1") }
      }
      for wrong in [nil, "", "wrong", String(repeating: "t", count: 31), token + "t"] {
        #expect(try await retry(web, token: wrong) == 401)
      }
      #expect(try await dead() == 1)
      #expect(try await retry(web, token: token) == 204)
      #expect(try await dead() == 0)
      // Whoever reaches the port may read.
      let letters = try await web.http.send(ClientRequest(origin: web.privateURL, target: "/dead-letters"))
      #expect(letters.status == 200)
    }
  }

  /// Without a setting, the token is in a file that only the operator can read.
  @Test func theTokenIsInTheDataFolder() async throws {
    try await TestPlatform.listen([GuestbookPlugin.self], settings: Self.auth) { test, web in
      let path = "\(test.folder)/operations-token"
      let token = try String(contentsOfFile: path, encoding: .utf8).filter { !$0.isWhitespace }
      #expect(token.utf8.count == 64)
      #expect(try Self.rights(path) == 0o600)
      #expect(try await retry(web, token: nil) == 401)
      #expect(try await retry(web, token: token) == 204)
    }
    #expect(throws: SettingError.self) { try Settings(["operations.token": "short"])[PlatformSettings.operationsToken] }
  }

  @Test func dataIsForItsOwnerOnly() async throws {
    try await TemporaryFolder.run { folder in
      let data = "\(folder)/new/data"
      let settings = Self.auth.merging(["data": data]) { $1 }
      try await TestPlatform.run([GuestbookPlugin.self], settings: settings) { test async throws in
        _ = try #require(test.platform.database(of: "guestbook"))
        #expect(try Self.rights(data) == 0o700)
        for file in ["guestbook.sqlite", "guestbook.sqlite-wal", "guestbook.sqlite-shm", "data-keys"] {
          #expect(try Self.rights("\(data)/\(file)") == 0o600, "\(file)")
        }
      }
      // A file that everyone could read.
      try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: "\(data)/guestbook.sqlite")
      let rights = try await TestPlatform.run([GuestbookPlugin.self], settings: settings) { _ in
        try Self.rights("\(data)/guestbook.sqlite")
      }
      #expect(rights == 0o600)
    }
  }

  private static func rights(_ path: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
  }

  /// A caller who sends the same trace twice cannot make two requests look like one.
  @Test func tracesDoNotChooseRequestIDs() async throws {
    try await TestPlatform.listen([GuestbookPlugin.self], settings: Self.auth) { _, web in
      let trace = "4bf92f3577b34da6a3ce929d0e0e4736"
      let parent = try #require(HTTPField.Name("traceparent"))
      func id() async throws -> String {
        let response = try await web.http.send(
          ClientRequest(origin: web.url, target: "/livez", headers: [parent: "00-\(trace)-00f067aa0ba902b7-01"]))
        return try #require(response.headers[.requestID])
      }
      let (first, second) = (try await id(), try await id())
      #expect(first.count == 16)
      #expect(first != second)
      #expect(!trace.hasPrefix(first))
    }
  }
}
