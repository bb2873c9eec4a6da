/// The lanes of an outbox. All events of a subject are in one lane, whose order is theirs; lanes are delivered
/// concurrently.
enum EventLane {
  /// The number of lanes that the migration has created.
  static let count = 16

  /// FNV-1a of 64 bits (Fowler, Noll, Vo; RFC 9923 §2), which is the same in every process.
  static func of(_ subject: String) -> Int {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in subject.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    return Int(hash % UInt64(count))
  }
}
