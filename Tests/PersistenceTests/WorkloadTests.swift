import TestKit
import Testing

@testable import Persistence
@testable import Threads

/// Work that is dropped before it runs, because no one waits for it any more.
struct WorkloadTests {
  private final class Refused: Sendable {
    private let errors = Locked<[WorkRefusal]>([])
    var count: Int { errors.value.count }
    var isOverload: Bool { errors.value.allSatisfy { $0.kind == .overloaded } }
    func add(_ error: WorkRefusal) { errors.change { $0.append(error) } }
  }

  private let past = ContinuousClock.now - .seconds(1)
  private let future = ContinuousClock.now + .seconds(86_400)

  @Test func workOfCallersWhoWaitNoLongerIsDropped() throws {
    let queue = BlockingWorkQueue<String>(capacity: 10)
    let refused = Refused()
    func submit(_ job: String, _ caller: WaitingCaller?) throws {
      try queue.submit(job, for: caller) { refused.add($0) }
    }
    let begun = WaitingCaller(until: past)
    begun.noteBegin()
    try submit("late", WaitingCaller(until: past))
    try submit("waiting", WaitingCaller(until: future))
    try submit("gone", WaitingCaller(until: future) { true })
    try submit("begun", begun)
    try queue.submit("background")
    #expect(queue.takeBatch(upTo: 10) == ["waiting", "begun", "background"])
    #expect(refused.count == 2)
    #expect(refused.isOverload)
  }

  /// The second transaction of a request is run even if the caller has left meanwhile.
  @Test func whatHasBegunIsCompleted() throws {
    let queue = BlockingWorkQueue<Int>(capacity: 10)
    let refused = Refused()
    let hasLeft = Locked(false)
    let caller = WaitingCaller(until: future) { hasLeft.value }
    try queue.submit(1, for: caller) { refused.add($0) }
    #expect(queue.take() == 1)
    hasLeft.change { $0 = true }
    try queue.submit(2, for: caller) { refused.add($0) }
    #expect(queue.take() == 2)
    #expect(refused.count == 0)
  }

  /// While one waits too long, others are refused at once, and it is refused when its turn comes.
  @Test func queueTimeIsBounded() throws {
    let queue = BlockingWorkQueue<Int>(capacity: 10, maxWait: .zero)
    let refused = Refused()
    try queue.submit(1, for: WaitingCaller(until: future)) { refused.add($0) }
    let error = #expect(throws: WorkRefusal.self) {
      try queue.submit(2, for: WaitingCaller(until: future)) { refused.add($0) }
    }
    #expect(error?.kind == .overloaded)
    try queue.submit(3)
    #expect(queue.take() == 3)
    #expect(refused.count == 1)
    #expect(refused.isOverload)
  }

  /// The database is busy with other work of requests; a health check and background work are not held up.
  @Test(arguments: TestDatabase.allCases)
  func requestsBackgroundAndHealthDoNotWaitForEachOther(on kind: TestDatabase) async throws {
    try await kind.run { database async throws in
      let (gate, blocked) = (Gate(), AsyncStream.makeStream(of: Void.self))
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<16 {
          group.addTask {
            try await Workload.shared {
              try await database.read { _ in
                blocked.continuation.yield()
                gate.wait()
              }
            }
          }
        }
        var iterator = blocked.stream.makeAsyncIterator()
        for _ in 0..<(kind == .sqlite ? 2 : 3) { _ = await iterator.next() }
        let answers = [
          try await database.read { db in try db.count("SELECT 1") },
          try await Workload.$current.withValue(.health) { try await database.read { db in try db.count("SELECT 2") } },
        ]
        #expect(answers == [1, 2])
        // Work that waits for a thread while its caller leaves never runs.
        let caller = WaitingCaller(until: past)
        let hasRun = Locked(false)
        group.addTask {
          let error = await #expect(throws: DatabaseError.self) {
            try await Workload.$current.withValue(.request(caller)) {
              try await database.read { _ in hasRun.change { $0 = true } }
            }
          }
          #expect(error?.kind == .overloaded)
          #expect(!hasRun.value)
        }
        gate.open()
        try await group.waitForAll()
      }
    }
  }

  /// All threads for background work are busy; what has been committed is delivered all the same.
  @Test(arguments: TestDatabase.allCases)
  func eventsDoNotWaitForBackgroundWork(on kind: TestDatabase) async throws {
    try await kind.run { database async throws in
      let (gate, blocked) = (Gate(), Counter())
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<16 {
          group.addTask {
            try await database.read { _ in
              blocked.add()
              gate.wait()
            }
          }
        }
        // SQLite has one thread for it, and counts no reads that wait.
        try await eventually("all threads are busy") {
          blocked.value > 0 && (kind == .sqlite || database.queueDepth > 0)
        }
        #expect(try await Workload.events { try await database.read { db in try db.count("SELECT 1") } } == 1)
        gate.open()
        try await group.waitForAll()
      }
    }
  }

  @Test func postgresLimitsStatementsByWorkload() async throws {
    try await TestDatabase.postgresql.withSettings { settings async throws in
      // Without the limit of the tests, which would replace those of the service.
      let url = try #require(settings["database.url"]).replacing("&options=-c%20statement_timeout%3D300000", with: "")
      let database = try PostgresDatabase(url: url, schema: "limits", limits: Self.limits)
      try await attempt {
        var found: [String?] = []
        for workload in [Workload.request(nil), .background, .health] {
          found.append(
            try await Workload.$current.withValue(workload) {
              try await database.read { db in
                try db.value("SELECT current_setting('statement_timeout')", as: String.self)
              }
            })
        }
        #expect(found == ["400s", "500s", "10min"])
      } finally: {
        await database.close()
      }
    }
  }

  private static let limits: DatabaseLimits = {
    var limits = DatabaseLimits()
    (limits.requestSeconds, limits.backgroundSeconds, limits.healthSeconds) = (400, 500, 600)
    return limits
  }()

  /// SQLite has no limit of its own.
  @Test func sqliteInterruptsReadsThatTakeTooLong() async throws {
    try await TemporaryFolder.run { folder async throws in
      var limits = DatabaseLimits()
      limits.requestSeconds = 0.05
      let database = try SQLiteDatabase(path: "\(folder)/test.sqlite", limits: limits)
      try await attempt { () async throws in
        let endless: SQL = "WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n) SELECT COUNT(*) FROM n"
        let error = await #expect(throws: DatabaseError.self) {
          try await Workload.shared { try await database.read { db in try db.count(endless) } }
        }
        #expect(error?.kind == .overloaded)
        #expect(try await database.read { db in try db.count("SELECT 7") } == 7)
      } finally: {
        await database.close()
      }
    }
  }
}
