import AuthService
import Contracts
import GatewayService
import Persistence
import ServiceKit
import SyncMerge
import TestKit

@testable import StudySyncService

/// study-sync and auth behind the gateway.
struct StudyHost: Sendable {
  let test: TestPlatform

  static let plugins: [any ServicePlugin.Type] = [GatewayPlugin.self, AuthPlugin.self, StudySyncPlugin.self]

  static func run(
    _ database: TestDatabase = .sqlite, time: ManualTime = ManualTime(),
    settings: [String: String] = ["limits.read": "0/1", "limits.write": "0/1", "limits.signIn": "0/1"],
    _ body: (StudyHost) async throws -> Void
  ) async throws {
    try await TestPlatform.run(plugins, settings: settings, database: database, time: time) {
      try await body(StudyHost(test: $0))
    }
  }

  /// A user who consents to health data, such as the weights of workouts.
  func user(_ name: String) async throws -> TestUser {
    let user = TestUser(try await test.client.signUp(name), test.client)
    try await user.client.consent(to: .healthData)
    return user
  }

  var database: any Database { get throws { try test.database(of: StudyAPI.self) } }

  func count(_ sql: SQL) async throws -> Int { try await database.read { db in try db.count(sql) } }

  /// The elements of a section of a user's export.
  func export(_ section: String, of user: UserID) async throws -> [JSONValue] {
    try await test.plugin(StudySyncPlugin.self).export(user, from: database)[section]?.elements ?? []
  }

  func device(_ number: UInt64, of user: TestUser) -> RawDevice { RawDevice(number, of: user, time: test.time) }
}

/// A device that speaks the protocol of synchronization without keeping anything but its clock and its cursor.
struct RawDevice {
  let id: StudyDeviceID
  let user: TestUser
  let time: ManualTime
  /// How far the device's clock is ahead, in seconds.
  var skew = 0.0
  var clock: HybridClock
  var cursor: String?
  private var generator: any RandomNumberGenerator & Sendable

  init(_ number: UInt64, of user: TestUser, time: ManualTime) {
    let digits = String(number, radix: 16)
    id = StudyDeviceID(trusted: "00000000-0000-4000-8000-" + String(repeating: "0", count: 12 - digits.count) + digits)
    (self.user, self.time) = (user, time)
    clock = HybridClock(device: number)
    generator = SeededGenerator()
  }

  var now: Timestamp { time.source.now().advanced(bySeconds: skew) }

  mutating func newID() -> String {
    // Devices with the same seed have different ids.
    let low = generator.next() ^ clock.device &* 0x9e37_79b9_7f4a_7c15
    return UUIDv7.text(at: time.source.now(), high: generator.next(), low: low)
  }

  /// An operation with a new id, done now.
  mutating func operation(
    _ collection: SyncCollection, _ record: String, set: StudySetID? = nil, _ fields: SyncFields? = nil,
    action: SyncAction = .put, seen: HybridTime? = nil, base: SyncFields? = nil
  ) -> SyncOperation {
    SyncOperation(
      id: newID(), collection: collection, record: record, set: set, action: action,
      version: clock.next(at: UInt64(now.microseconds / 1000)), seen: seen, fields: fields, base: base)
  }

  @discardableResult
  mutating func sync(_ operations: [SyncOperation] = [], limit: Int? = nil, refetch: [SyncCollection]? = nil)
    async throws -> SyncResponse
  {
    let response = try await user.client.send(
      StudyAPI.Sync(
        device: id, deviceTime: now, cursor: cursor, operations: operations.map { .valid($0) },
        limit: limit.map { SyncPageSize(checked: $0) }, refetch: refetch))
    cursor = response.cursor
    return response
  }
}

/// The code of the problem with which a call, or a body in this process, fails; `nil` on success.
func code(_ body: () async throws -> Void) async throws -> String? {
  do { return try await problem(body)?.code } catch let problem as Problem { return problem.code }
}
