import Contracts
import Persistence
import ServiceKit
import SyncMerge
import TestKit

@testable import AuthService
@testable import StudySyncService

extension StudyHost {
  /// A user whose token outlives the test's journeys through time.
  func lastingUser(_ name: String) async throws -> TestUser {
    let id = try await user(name).id
    let keys = try await SigningKeys.load(Settings([:]), dataFolder: test.folder)
    let now = test.time.source.now().unixSeconds
    let claims = AccessClaims(
      iss: Issuer.name, sub: id.rawValue, aud: ClientApp.letustudy.rawValue, sid: test.ids.text(),
      scope: ClientApp.web.scopeClaim(isStaff: true), roles: [Role.user.rawValue], iat: now - 60,
      exp: now + 10 * 365 * 86_400,
      jti: test.ids.text())
    return TestUser(id: id, token: try await keys.sign(claims), client: test.client)
  }

  func grant(_ role: SpaceRole, to user: TestUser, in set: String, source: String = "share") async throws {
    try await database.write { tx in
      try SpaceStore.grant(role, to: user.id, in: SpaceID(trusted: set), source: source, tx)
    }
  }

  func revoke(_ user: TestUser, in set: String, source: String = "share") async throws {
    try await database.write { tx in
      try SpaceStore.revoke(user.id, in: SpaceID(trusted: set), source: source, tx)
    }
  }

  func purge() async throws { _ = try await test.plugin(StudySyncPlugin.self).runOnce("sync.retention") }

  /// Deletes the contents of what has been removed.
  func removeSpaces() async throws { _ = try await test.plugin(StudySyncPlugin.self).runOnce(SpaceRemoval.worker) }

  /// The hints that have been sent: to whom, and from which of the user's own devices.
  func hints() async throws -> [(user: String, device: String?)] {
    try await test.recorded(TopicEvent.self, by: StudyAPI.self).filter { $0.topic.rawValue.hasPrefix("sync:") }.map {
      (String($0.topic.rawValue.dropFirst(5)), $0.data["device"]?.string)
    }
  }
}

/// A device that keeps what it receives, by the rules of `docs/sync.md`.
struct KeepingDevice {
  var raw: RawDevice
  private(set) var records: [String: SyncRecord] = [:]
  private(set) var checksums: [SyncChecksum] = []
  /// Every record that was received as a change, in order.
  private(set) var received: [String] = []

  init(_ raw: RawDevice) { self.raw = raw }

  /// The version of a record that the device knows.
  func seen(_ id: String) -> HybridTime? { records[id]?.content.version }

  /// The records that are not deleted.
  var live: [SyncRecord] { records.values.filter { $0.isDeleted != true } }

  /// Plants a divergence.
  mutating func corrupt(_ id: String) { records[id] = nil }

  /// Synchronizes until there is nothing more.
  ///
  /// - Returns: The results of the operations.
  @discardableResult
  mutating func sync(
    _ operations: [SyncOperation] = [], limit: Int? = nil, refetch: [SyncCollection]? = nil,
    beforeEachPage: () async throws -> Void = {}
  ) async throws -> [SyncResult] {
    var (results, rest, isFirst): ([SyncResult], [SyncOperation], Bool) = ([], operations, true)
    if let refetch { records = records.filter { !refetch.map(\.rawValue).contains($0.value.collection) } }
    while true {
      let response = try await raw.sync(rest, limit: limit, refetch: isFirst ? refetch : nil)
      for (operation, result) in zip(rest, response.results) { take(result, of: operation) }
      for set in response.removedSets {
        records = records.filter { $0.key != set.rawValue && $0.value.set != set }
      }
      for record in response.changes {
        records[record.id] = record
        received.append(record.id)
      }
      for version in response.changes.map(\.content.version) { raw.clock.observe(version) }
      results += response.results
      (rest, isFirst) = ([], false)
      checksums = response.checksums ?? []
      if !response.hasMore { return results }
      try await beforeEachPage()
    }
  }

  private mutating func take(_ result: SyncResult, of operation: SyncOperation) {
    if let version = result.version { raw.clock.reset(to: version) }
    if let record = result.record {
      records[record.id] = record
      return
    }
    guard result.status == .applied, let collection = SyncCollection(rawValue: operation.collection) else { return }
    if collection.isLog {
      records[operation.record] = SyncRecord(
        collection: operation.collection, id: operation.record, fields: operation.fields)
      return
    }
    var content = records[operation.record]?.content ?? MergeRecord()
    _ = content.apply(
      operation.change(version: result.version ?? operation.version), mergedTexts: collection.mergedTexts)
    records[operation.record] = SyncRecord(
      collection: operation.collection, id: operation.record, set: operation.set ?? records[operation.record]?.set,
      content: content)
  }

  /// The checksums that the device computes of its own copy.
  var ownChecksums: [SyncChecksum] {
    SyncCollection.allCases.map { collection in
      var checksum = Checksum()
      for record in live where record.collection == collection.rawValue {
        checksum.insert(record.content.hash(collection: collection.rawValue, id: record.id))
      }
      let digits = String(checksum.sum, radix: 16)
      return SyncChecksum(
        collection: collection, count: checksum.count,
        sum: String(repeating: "0", count: 16 - digits.count) + digits)
    }
  }
}

/// A set with one card on two devices of one user that know all of it.
struct TwoDevices {
  let host: StudyHost
  var (phone, desktop): (KeepingDevice, KeepingDevice)
  let (set, card): (String, String)

  init(_ host: StudyHost, _ user: TestUser, front: String = "aqua", back: String = "water") async throws {
    self.host = host
    var phone = KeepingDevice(host.device(1, of: user))
    var desktop = KeepingDevice(host.device(2, of: user))
    (set, card) = (phone.raw.newID(), phone.raw.newID())
    try await phone.sync([
      phone.raw.operation(.sets, set, ["title": "Latin"]),
      phone.raw.operation(
        .cards, card, set: StudySetID(set), ["front": .string(front), "back": .string(back)]),
    ])
    try await desktop.sync()
    (self.phone, self.desktop) = (phone, desktop)
    host.test.time.advance(seconds: 1)
  }

  /// An edit of the card by a device that knows what it has.
  static func edit(_ device: inout KeepingDevice, _ card: String, _ field: String, _ value: String) -> SyncOperation {
    let base = device.records[card]?.fields?[field].map { SyncFields([.init(name: field, value: $0)]) }
    return device.raw.operation(
      .cards, card, SyncFields([.init(name: field, value: .string(value))]), seen: device.seen(card), base: base)
  }

  /// Until both have everything.
  mutating func settle() async throws {
    for _ in 0..<2 {
      try await phone.sync()
      try await desktop.sync()
    }
  }
}

extension RawDevice {
  /// A review of a card, done now.
  mutating func review(_ card: String, of set: String, rating: Int64, id: String? = nil) -> SyncOperation {
    operation(
      .reviews, id ?? newID(),
      [
        "at": .string(now.description), "milliseconds": 1200, "utcOffsetMinutes": 60, "set": .string(set),
        "card": .string(card), "rating": .integer(rating),
      ])
  }
}
