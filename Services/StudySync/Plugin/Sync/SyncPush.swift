import Contracts
import Persistence
import SyncMerge

/// Applies the operations of a device in one transaction: each takes effect once, and one that is rejected does not
/// hold up the others.
struct SyncPush {
  /// What of it the device need not be sent again.
  struct Result: Sendable {
    var results: [SyncResult] = []
    /// The numbers of records whose content the device knows, with those that they had before.
    var known: [RecordID: (before: Int64, after: Int64)] = [:]
    var clockSkewMilliseconds: Int64?
  }

  /// How many sets a user can have and see.
  static let maxSpaces = 1000
  static let maxCards = 100_000

  private let operations: [Lenient<SyncOperation>]
  private let writer: SpaceWriter
  private var clock: ClockCorrection
  private var applied: Set<String>
  private var result = Result()
  private var unknown: Set<RecordID> = []

  static func run(
    _ operations: [Lenient<SyncOperation>], deviceTime: Timestamp, received: Timestamp, _ writer: SpaceWriter
  ) throws -> Result {
    var push = try SyncPush(operations, deviceTime: deviceTime, received: received, writer)
    for operation in operations { push.result.results.append(try push.apply(operation)) }
    push.result.known = writer.numbers.filter { !push.unknown.contains($0.key) }
    if push.clock.offset != 0 { push.result.clockSkewMilliseconds = push.clock.offset }
    return push.result
  }

  private init(
    _ operations: [Lenient<SyncOperation>], deviceTime: Timestamp, received: Timestamp, _ writer: SpaceWriter
  ) throws {
    (self.operations, self.writer) = (operations, writer)
    clock = ClockCorrection(now: received.hybridMilliseconds, deviceTime: deviceTime.hybridMilliseconds)
    let valid = operations.compactMap { if case .valid(let operation) = $0 { operation } else { nil } }
    let changes = valid.filter { SyncCollection(rawValue: $0.collection)?.isLog == false }
    applied = try OperationStore.known(changes.map(\.id), of: writer.user, in: writer.tx)
    try writer.load(changes.compactMap { Self.key(of: $0, writer.user) })
  }

  private mutating func apply(_ operation: Lenient<SyncOperation>) throws -> SyncResult {
    switch operation {
    case .invalid(let value, let detail):
      // The location begins with the operation's place in the request.
      let field = detail.location.split(separator: "]", maxSplits: 1).last.map { String($0.drop { $0 == "." }) }
      return .rejected(
        value["id"]?.string ?? "", SyncRejection("invalid-operation", field: field, detail.message))
    case .valid(let operation):
      do {
        return try apply(operation)
      } catch let rejection as SyncRejection {
        return .rejected(operation.id, rejection)
      }
    }
  }

  private mutating func apply(_ operation: SyncOperation) throws -> SyncResult {
    guard let record = Self.key(of: operation, writer.user) else {
      throw SyncRejection("invalid-value", field: "record", "must be a UUID")
    }
    let current = writer.record(record)
    // A rejected operation takes its place in the order too.
    let seen = operation.seen.flatMap { seen in current.flatMap { seen <= $0.content.version ? seen : nil } } ?? .zero
    let version = clock.correct(operation.version, seen: seen)
    guard let id = RecordID(operation.id) else {
      throw SyncRejection("invalid-value", field: "id", "must be a UUID")
    }
    guard let collection = SyncCollection(rawValue: operation.collection) else {
      throw SyncRejection("unknown-collection", field: "collection", "is not a collection")
    }
    var result =
      collection.isLog
      ? try append(operation, collection, record)
      : try merge(operation, id, collection, record, version)
    if version != operation.version, result.version == nil { result.version = version }
    return result
  }

  private mutating func append(_ operation: SyncOperation, _ collection: SyncCollection, _ record: RecordID) throws
    -> SyncResult
  {
    guard operation.action == .put else {
      throw SyncRejection("immutable", field: "action", "must be put: entries of a log never change")
    }
    let entry = try LogEntry(record, collection, operation.fields ?? SyncFields())
    guard try writer.append(entry) else {
      guard let stored = try LogStore.find(record, of: writer.user, in: writer.tx),
        try writer.core.log.open(stored) == entry
      else { throw SyncRejection("id-in-use", field: "record", "is the id of another entry") }
      return SyncResult(operation.id, .duplicate)
    }
    guard entry.wire.content != SyncRecord(collection: "", id: "", fields: operation.fields).content else {
      return SyncResult(operation.id, .applied)
    }
    return SyncResult(operation.id, .merged, record: entry.wire)
  }

  private mutating func merge(
    _ operation: SyncOperation, _ id: RecordID, _ collection: SyncCollection, _ record: RecordID, _ version: HybridTime
  ) throws -> SyncResult {
    if applied.contains(id.rawValue) {
      unknown.insert(record)
      return SyncResult(operation.id, .duplicate, record: try wire(record))
    }
    try RecordRules.check(operation.fields ?? SyncFields(), of: collection)
    let space = try authorize(operation, collection, record)
    // A clock that was set between two requests must not put an operation before an earlier one of the same device.
    let device = operation.version.device
    let own = writer.record(record)?.content.lastVersion(of: device) ?? .zero
    let version = version > own ? version : own.next(device: device)
    let outcome = try writer.apply(operation.change(version: version), to: record, collection, in: space)
    try OperationStore.insert(id.rawValue, on: record, by: writer.user, in: writer.tx)
    applied.insert(id.rawValue)
    let corrected = version != operation.version ? version : nil
    if outcome == .applied, operation.action != .restore {
      return SyncResult(operation.id, .applied, version: corrected)
    }
    unknown.insert(record)
    if outcome == .applied {
      // The device may have nothing of it but that it was deleted.
      return SyncResult(operation.id, .applied, version: corrected, record: try wire(record))
    }
    let conflict: SyncConflict? =
      switch outcome {
      case .applied, .merged: nil
      case .textConflict: .text
      case .deleted: .deleted
      case .deletedUnseenEdits: .deletedUnseenEdits
      }
    return SyncResult(operation.id, .merged, conflict: conflict, version: corrected, record: try wire(record))
  }

  /// The space of a record that the user may change; a new set gets its space here.
  private func authorize(_ operation: SyncOperation, _ collection: SyncCollection, _ record: RecordID) throws -> SpaceID
  {
    if let (stored, _) = writer.record(record) {
      guard let role = try writer.role(in: stored.space), stored.collection == collection else {
        throw SyncRejection("id-in-use", field: "record", "is the id of another record")
      }
      if let set = operation.set, collection == .cards, set.space != stored.space {
        throw SyncRejection("immutable", field: "set", "cannot be changed: make a new card instead")
      }
      try Self.require(collection == .sets && operation.action != .put ? .owner : .editor, role)
      return stored.space
    }
    guard operation.action == .put else { throw SyncRejection("not-found", field: "record", "does not exist") }
    switch collection {
    case .sets:
      guard operation.fields?["title"] != nil else {
        throw SyncRejection("invalid-value", field: "fields.title", "is required")
      }
      guard try SpaceStore.memberships(of: writer.user, in: writer.tx).count < Self.maxSpaces else {
        throw SyncRejection("too-many", "A user can have \(Self.maxSpaces) sets.")
      }
      let set = SpaceID(trusted: record.rawValue)
      guard try writer.createSpace(set) else {
        throw SyncRejection("id-in-use", field: "record", "is the id of another record")
      }
      return set
    case .cards:
      guard let set = operation.set else { throw SyncRejection("invalid-value", field: "set", "is required") }
      guard let role = try writer.role(in: set.space), set.space != writer.user.space else {
        throw SyncRejection("not-found", field: "set", "does not exist")
      }
      try Self.require(.editor, role)
      return set.space
    case .studySettings:
      guard record == writer.user.settingsRecord else {
        throw SyncRejection("invalid-value", field: "record", "must be the user's id")
      }
      return try writer.ownSpace()
    default: return try writer.ownSpace()
    }
  }

  /// The id of an operation's record; `nil` unless it is a UUID.
  private static func key(of operation: SyncOperation, _ user: UserID) -> RecordID? {
    let isSettings = operation.collection == SyncCollection.studySettings.rawValue
    return isSettings && operation.record == user.rawValue ? user.settingsRecord : RecordID(operation.record)
  }

  private static func require(_ needed: SpaceRole, _ role: SpaceRole) throws {
    guard role >= needed else { throw SyncRejection("forbidden", "The set may be read only.") }
  }

  private func wire(_ record: RecordID) throws -> SyncRecord? {
    guard let (stored, content) = writer.record(record) else { return nil }
    let set = stored.collection == .cards ? StudySetID(trusted: stored.space.rawValue) : nil
    return SyncRecord(collection: stored.collection.rawValue, id: record.wire, set: set, content: content)
  }
}

extension Timestamp {
  /// Milliseconds since 1970 as hybrid logical clocks count them; 0 before.
  var hybridMilliseconds: UInt64 { UInt64(max(0, microseconds / 1000)) }
}
