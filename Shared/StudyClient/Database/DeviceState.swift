import Contracts
import GRDB
import SyncMerge

/// The state of the device besides records.
struct DeviceState: Codable, Equatable, Sendable {
  var user: UserID
  var device: StudyDeviceID
  /// The id that the app has given this installation; a file that was restored on another one gets a new device.
  var installation: String?
  /// The greatest timestamp that was issued or seen.
  var clock = HybridTime.zero
  /// The greatest timestamp that came from the server.
  var observed = HybridTime.zero
  /// The difference between the server's clock and the device's, in milliseconds.
  var offsetMilliseconds: Int64 = 0
  /// Whether the device has ever received a response.
  var hasConnected = false
  var cursor: String?
  /// Increases when records are read again: those that have an older one by the end no longer exist.
  var generation: Int64 = 0
  /// Whether everything is being read again.
  var isRefetchingAll = false
  /// The collections that are being read again.
  var refetch: [SyncCollection]?
  var verifiedAt: Timestamp?

  init(user: UserID, device: StudyDeviceID, installation: String?) {
    (self.user, self.device, self.installation) = (user, device, installation)
  }

  static func load(_ db: Database) throws -> DeviceState? {
    try db.row("SELECT content FROM state").map { try StoredJSON.value(DeviceState.self, $0["content"]) }
  }

  func save(_ db: Database) throws {
    try db.run(
      "INSERT INTO state (id, content) VALUES (1, ?) ON CONFLICT (id) DO UPDATE SET content = excluded.content",
      [try StoredJSON.text(self)])
  }

  // MARK: clock

  /// The number of the device in its timestamps; 0 is the server's.
  private var clockDevice: UInt64 {
    var hash = ContentHash()
    hash.combine(device.rawValue)
    return max(1, hash.value)
  }

  /// The time by the server's clock, as far as the device knows it.
  func corrected(_ now: Timestamp) -> Timestamp {
    now.advanced(bySeconds: Double(offsetMilliseconds) / 1000)
  }

  mutating func nextVersion(at now: Timestamp) -> HybridTime {
    var clock = HybridClock(device: clockDevice, last: clock)
    let version = clock.next(at: corrected(now).hybridMilliseconds)
    self.clock = clock.last
    return version
  }

  /// Takes note of a version of the server.
  mutating func observe(_ version: HybridTime) {
    observed = max(observed, version)
    clock = max(clock, version)
  }
}

extension Timestamp {
  /// Milliseconds since 1970 as hybrid logical clocks count them; 0 before.
  var hybridMilliseconds: UInt64 { UInt64(max(0, microseconds / 1000)) }
}
