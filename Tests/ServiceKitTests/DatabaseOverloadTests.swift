import Contracts
import Persistence
import TestKit
import Testing

@testable import ServiceKit

/// Requests while the database is busy with something else.
@Suite(.serialized)
struct DatabaseOverloadTests {
  private static let auth = ["services.auth.url": "http://127.0.0.1:1"]

  private func entries(_ database: any Database) async throws -> Int {
    try await database.read { db in try db.count("SELECT COUNT(*) FROM entries") }
  }

  /// Holds up the writer during a body.
  private func whileBusy(_ database: any Database, _ body: () async throws -> Void) async throws {
    let (gate, blocked) = (Gate(), AsyncStream.makeStream(of: Void.self))
    let busy = Task {
      try await database.write { _ in
        blocked.continuation.yield()
        gate.wait()
      }
    }
    var iterator = blocked.stream.makeAsyncIterator()
    _ = await iterator.next()
    try await attempt(body) {
      gate.open()
      _ = await busy.result
    }
  }

  private func add(_ text: String, _ client: APIClient) async throws -> Problem? {
    try await problem {
      _ = try await client.send(GuestbookAPI.AddEntry(text: text), idempotencyKey: text)
    }
  }

  /// Sends a request that waits for the database, and lets time pass.
  private func waiting(
    _ text: String, _ client: APIClient, for database: any Database, longerThan duration: Duration
  ) async throws -> Task<Problem?, any Error> {
    let task = Task { try await add(text, client) }
    try await eventually("the request waits") { database.queueDepth > 0 }
    let end = ContinuousClock.now + duration
    try await eventually("it has waited too long") { ContinuousClock.now > end }
    return task
  }

  /// The first one waits in vain; a second one is refused while the database is still busy.
  @Test func requestsThatWouldWaitTooLongAreRefused() async throws {
    let settings = Self.auth.merging(["database.waitSeconds": "0.01"]) { $1 }
    try await TestPlatform.run([GuestbookPlugin.self], settings: settings) { test async throws in
      let database = try #require(test.platform.database(of: "guestbook"))
      var first: Task<Problem?, any Error>?
      try await whileBusy(database) { () async throws in
        first = try await waiting("first", test.client, for: database, longerThan: .milliseconds(20))
        let second = try await add("second", test.client)
        #expect(second?.is(.overloaded) == true)
        #expect(second?.status == 503)
        #expect(second?.retryAfter == 1)
      }
      #expect(try await first?.value?.is(.overloaded) == true)
      #expect(try await entries(database) == 0)
    }
  }

  /// It would otherwise be carried out after its caller has been answered 503.
  @Test func requestsAreNotCarriedOutAfterTheirDeadline() async throws {
    let settings = Self.auth.merging(["http.answerSeconds": "0.1"]) { $1 }
    try await TestPlatform.run([GuestbookPlugin.self], settings: settings) { test async throws in
      let database = try #require(test.platform.database(of: "guestbook"))
      var late: Task<Problem?, any Error>?
      try await whileBusy(database) { () async throws in
        late = try await waiting("late", test.client, for: database, longerThan: .milliseconds(200))
      }
      #expect(try await late?.value?.is(.overloaded) == true)
      #expect(try await entries(database) == 0)
    }
  }
}
