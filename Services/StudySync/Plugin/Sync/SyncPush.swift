import Contracts
import Persistence
import SyncMerge

/// Applies the operations of a device in one transaction: each takes effect once, and one that is rejected does not
/// hold up the others.
struct SyncPush {
  struct Request: Sendable {
    let operations: SyncOperationList
    /// How far the device had read, even when that is too long ago to go on from.
    let cursor: SyncCursor?
    fileprivate let clock: ClockCorrection
    /// Entries of logs by the indices of their operations: read here, because the only writer must not wait for it.
    fileprivate let entries: [Swift.Result<SentEntry, SyncRejection>?]
    fileprivate let entryIDs: [RecordID]
    /// Operations on records.
    fileprivate let changes: [SyncOperation]
    /// The media that operations attach to cards.
    let media: Set<MediaID>
    /// The media that are the user's own; `nil` when that could not be found out.
    var ownedMedia: Set<MediaID>?
    var mediaCheckedFor: Topic?
    /// The collections that the caller may write.
    var collections: Set<SyncCollection> = []
    /// Whether the user consents to health data; unset when nothing needs it.
    var allowsHealthData: Bool?
    /// Whether the user may show workouts to followers.
    var allowsSharing = true
    /// Whether an operation has the weight of a workout.
    var hasHealthData: Bool {
      changes.contains { $0.collection == SyncCollection.workouts.rawValue && $0.fields?["weight"]?.double != nil }
    }

    init(_ operations: SyncOperationList, deviceTime: Timestamp, received: Timestamp, cursor: SyncCursor?) {
      (self.operations, self.cursor) = (operations, cursor)
      let clock = ClockCorrection(now: received.hybridMilliseconds, deviceTime: deviceTime.hybridMilliseconds)
      self.clock = clock
      entries = operations.map { operation in
        guard case .valid(let operation) = operation,
          let collection = SyncCollection(rawValue: operation.collection), collection.isLog
        else { return nil }
        return Swift.Result { () throws(SyncRejection) in try SentEntry(operation, collection, clock) }
      }
      entryIDs = entries.compactMap { try? $0?.get().entry.id }
      changes = zip(operations, entries).compactMap { operation, entry in
        guard case .valid(let operation) = operation, case nil = entry else { return nil }
        return SyncCollection(rawValue: operation.collection) == nil ? nil : operation
      }
      media = changes.filter { $0.collection == SyncCollection.cards.rawValue }.reduce(into: []) { media, operation in
        media.formUnion(CardMedia.media(in: operation.fields?["attachments"]))
      }
    }
  }

  /// The records that the device need not be sent, because it has sent them.
  struct Known: Sendable {
    /// The numbers of records whose content the device knows, with those that they had before.
    var records: [RecordID: (before: Int64, after: Int64)] = [:]
    /// Numbers that only entries of its user's log got.
    var entries: [ClosedRange<Int64>] = []
  }

  struct Result: Sendable {
    var results: [SyncResult] = []
    var known = Known()
    var clockSkewMilliseconds: Int64?
  }

  /// How many sets a user can have and see.
  static let maxSpaces = 1000
  /// Bytes of encrypted records that a request may concern; bounds its memory, its response, and how long others wait.
  static let maxLoadedBytes = 8 << 20
  /// Bytes of texts that a request may have merged, in all versions that a merge compares.
  static let maxMergedBytes = 600_000
  /// Entries of a collection in the log of a user.
  static let maxEntries = 2_000_000

  private let request: Request
  private let writer: SpaceWriter
  private var clock: ClockCorrection
  private var applied: Set<String>
  private var spaceCount: Int?
  private var result = Result()
  private var unknown: Set<RecordID> = []
  /// The indices of the results that have a record: each record is sent once.
  private var indices: [String: Int] = [:]

  static func run(_ request: Request, _ writer: SpaceWriter) throws -> Result {
    var push = try SyncPush(request, writer)
    for (index, operation) in request.operations.enumerated() {
      let result = try push.apply(operation, at: index)
      push.result.results.append(result)
      push.attach(at: index)
    }
    push.result.known = Known(
      records: writer.recordNumbers.filter { !push.unknown.contains($0.key) }, entries: writer.entryNumbers)
    if push.clock.offset != 0 { push.result.clockSkewMilliseconds = push.clock.offset }
    return push.result
  }

  private init(_ request: Request, _ writer: SpaceWriter) throws {
    (self.request, self.writer) = (request, writer)
    clock = request.clock
    (writer.ownedMedia, writer.mediaCheckedFor) = (request.ownedMedia ?? [], request.mediaCheckedFor)
    (writer.maxLoadedBytes, writer.texts) = (Self.maxLoadedBytes, MergeBudget(bytes: Self.maxMergedBytes))
    let changes = request.changes
    applied = try OperationStore.known(
      changes.compactMap { RecordID($0.id)?.rawValue }, of: writer.user, in: writer.tx)
    try writer.lookUp(entries: request.entryIDs)
    // A card's set too, because it may have been deleted.
    let sets = Set(changes.compactMap(\.set)).map { RecordID(trusted: $0.rawValue) }
    try writer.load(changes.compactMap { Self.key(of: $0, writer.user) } + sets)
  }

  /// Leaves a record to the last result that has it: one that many operations concern is sent once.
  private mutating func attach(at index: Int) {
    guard let record = result.results[index].record else { return }
    if let earlier = indices.updateValue(index, forKey: record.collection + record.id) {
      result.results[earlier].record = nil
    }
  }

  private mutating func apply(_ operation: Lenient<SyncOperation>, at index: Int) throws -> SyncResult {
    switch operation {
    case .invalid(let value, let detail):
      // The location begins with the operation's index in the request.
      let field = detail.location.split(separator: "]", maxSplits: 1).last.map { String($0.drop { $0 == "." }) }
      return .rejected(
        value["id"]?.string ?? "", SyncRejection("invalid-operation", field: field, detail.message))
    case .valid(let operation):
      do {
        if let entry = request.entries[index] { return try append(operation, entry.get()) }
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
    guard operation.version.device != 0 else {
      throw SyncRejection("invalid-value", field: "version", "must have a device other than 0")
    }
    // Before anything can be rejected: a rejected operation takes its place in the order too.
    let version = try correctedVersion(of: operation, record)
    guard let id = RecordID(operation.id) else {
      throw SyncRejection("invalid-value", field: "id", "must be a UUID")
    }
    guard let collection = SyncCollection(rawValue: operation.collection) else {
      throw SyncRejection("unknown-collection", field: "collection", "is not a collection")
    }
    try permit(collection)
    guard !applied.contains(id.rawValue) else {
      unknown.insert(record)
      return SyncResult(operation.id, .duplicate, record: try wire(record))
    }
    var result = try merge(operation, collection, record, version)
    try OperationStore.insert(id.rawValue, on: record, by: writer.user, in: writer.tx)
    applied.insert(id.rawValue)
    if version != operation.version { result.version = version }
    return result
  }

  private mutating func correctedVersion(of operation: SyncOperation, _ record: RecordID) throws -> HybridTime {
    // The correction of a record that the user does not see would reveal when it was changed.
    guard let (stored, content) = writer.record(record), try writer.role(in: stored.space) != nil else {
      return clock.correct(operation.version, seen: .zero)
    }
    let seen = operation.seen.flatMap { $0 <= content.version ? $0 : nil } ?? .zero
    return clock.correct(operation.version, seen: seen, own: content.version(by: operation.version.device))
  }

  private func permit(_ collection: SyncCollection) throws(SyncRejection) {
    guard !request.collections.contains(collection) else { return }
    throw SyncRejection(
      Problem.Kind.scopeMissing.code, field: "collection", "needs a token with the scope \(collection.scope.rawValue)")
  }

  // MARK: the log

  private func append(_ operation: SyncOperation, _ sent: SentEntry) throws -> SyncResult {
    let collection = sent.entry.collection
    try permit(collection)
    guard try writer.isUsed(entry: sent.entry.id) || writer.entryCount(collection) < Self.maxEntries else {
      throw SyncRejection("too-many", "There can be \(Self.maxEntries) \(collection.rawValue).")
    }
    if try writer.append(sent.entry, hash: sent.hash) { return sent.result }
    guard let stored = try storedEntry(sent.entry.id), stored.isSame(as: sent.entry) else {
      throw SyncRejection("id-in-use", field: "record", "is the id of another entry")
    }
    let isAsSent = stored.isEqual(to: operation.fields ?? SyncFields())
    return SyncResult(operation.id, .duplicate, record: isAsSent ? nil : stored.wire)
  }

  private func storedEntry(_ id: RecordID) throws -> LogEntry? {
    if let entry = writer.entry(id) { return entry }
    return try LogStore.find(id, of: writer.user, in: writer.tx).map(writer.core.log.open)
  }

  // MARK: records

  private mutating func merge(
    _ operation: SyncOperation, _ collection: SyncCollection, _ record: RecordID, _ version: HybridTime
  ) throws -> SyncResult {
    try RecordRules.check(operation.fields ?? SyncFields(), of: collection)
    if collection == .workouts { try requireConsents(for: operation) }
    let space = try authorize(operation, collection, record)
    if collection == .cards, operation.action == .put { try requireMedia(of: operation, record) }
    let outcome = try writer.apply(operation.change(version: version), to: record, collection, in: space)
    let conflict = try conflict(outcome, operation, collection, record, space)
    // The device need not have the content of what it restores.
    if outcome == .applied, conflict == nil, operation.action != .restore { return SyncResult(operation.id, .applied) }
    unknown.insert(record)
    return SyncResult(operation.id, .merged, conflict: conflict, record: try wire(record))
  }

  /// Refuses weights of users who do not consent to health data, and what minors may not share.
  private func requireConsents(for operation: SyncOperation) throws {
    if operation.fields?["weight"]?.double != nil, request.allowsHealthData != true {
      throw SyncRejection("consent-required", field: "fields.weight", "needs the consent to health data")
    }
    if operation.fields?["isShared"] == .bool(true), !request.allowsSharing {
      throw SyncRejection("guardian-consent-required", field: "fields.isShared", "needs the consent of a guardian")
    }
  }

  /// Refuses media of others, except those that the card has already: another editor has attached them.
  private func requireMedia(of operation: SyncOperation, _ record: RecordID) throws {
    guard let owned = request.ownedMedia else { return }
    let known = CardMedia.media(of: writer.record(record)?.content)
    guard
      CardMedia.media(in: operation.fields?["attachments"]).allSatisfy({ owned.contains($0) || known.contains($0) })
    else {
      throw SyncRejection("media-not-found", field: "fields.attachments", "must be media of the user")
    }
  }

  private mutating func conflict(
    _ outcome: MergeOutcome, _ operation: SyncOperation, _ collection: SyncCollection, _ record: RecordID,
    _ space: SpaceID
  ) throws -> SyncConflict? {
    // First of all: whatever else becomes of the edit, it is kept with the set.
    if collection == .cards, operation.action == .put {
      let set = RecordID(trusted: space.rawValue)
      try writer.load([set])
      if writer.record(set)?.content.isDeleted == true {
        try writer.noteLostEdit(ofSet: set)
        unknown.insert(set)
        return .setDeleted
      }
    }
    switch outcome {
    case .textConflict: return .text
    case .deleted: return .deleted
    case .deletedUnseenEdits: return .deletedUnseenEdits
    case .applied, .merged: break
    }
    switch collection {
    case .sets where operation.action == .delete && writer.record(record)?.content.isDeleted == true:
      // Cards that others have changed since the device last read the set.
      let position = try writer.number(of: space).flatMap { request.cursor?.positions[$0] } ?? 0
      guard try RecordStore.hasChanges(of: space, .cards, after: position, in: writer.tx) else { return nil }
      try writer.noteLostEdit(ofSet: record)
      return .deletedUnseenEdits
    default: return nil
    }
  }

  /// The space of a record that the user may change; a new set gets its space here.
  private mutating func authorize(_ operation: SyncOperation, _ collection: SyncCollection, _ record: RecordID) throws
    -> SpaceID
  {
    guard let (stored, content) = writer.record(record) else { return try authorizeNew(operation, collection, record) }
    guard let role = try writer.role(in: stored.space), stored.collection == collection else {
      // The user no longer sees it, or never did.
      throw operation.seen == nil
        ? SyncRejection("id-in-use", field: "record", "is the id of another record")
        : SyncRejection("not-found", field: "record", "does not exist")
    }
    if let set = operation.set, collection == .cards, set.space != stored.space {
      throw SyncRejection("immutable", field: "set", "cannot be changed: make a new card instead")
    }
    try Self.require(collection == .sets && operation.action != .put ? .owner : .editor, role)
    switch operation.action {
    case .put: break
    case .delete:
      guard collection != .studySettings else {
        throw SyncRejection("immutable", field: "action", "must be put: settings are not deleted")
      }
    case .restore:
      guard !content.isDeleted || RecordRules.isRestorable(content, collection) else {
        throw SyncRejection("restore-expired", "The record was deleted too long ago to be restored.")
      }
    }
    return stored.space
  }

  private mutating func authorizeNew(_ operation: SyncOperation, _ collection: SyncCollection, _ record: RecordID)
    throws
    -> SpaceID
  {
    // A record that the device has seen was removed; an edit of it is no reason to make a part of it anew.
    guard operation.action == .put, operation.seen == nil else {
      throw SyncRejection("not-found", field: "record", "does not exist")
    }
    switch collection {
    case .sets:
      guard operation.fields?["title"] != nil else {
        throw SyncRejection("invalid-value", field: "fields.title", "is required")
      }
      let count = try spaceCount ?? SetMembers.countOwned(by: writer.user, in: writer.tx)
      guard count < Self.maxSpaces else { throw SyncRejection("too-many", "A user can have \(Self.maxSpaces) sets.") }
      let set = SpaceID(trusted: record.rawValue)
      guard try writer.createSpace(set) else {
        throw SyncRejection("id-in-use", field: "record", "is the id of another record")
      }
      spaceCount = count + 1
      return set
    case .cards:
      guard let set = operation.set else { throw SyncRejection("invalid-value", field: "set", "is required") }
      guard let role = try writer.role(in: set.space) else {
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
    guard let id = RecordID(operation.record) else { return nil }
    let isSettings = operation.collection == SyncCollection.studySettings.rawValue
    return isSettings && id.rawValue == user.rawValue ? user.settingsRecord : id
  }

  private static func require(_ needed: SpaceRole, _ role: SpaceRole) throws {
    guard role < needed else { return }
    throw needed == .owner
      ? SyncRejection("forbidden", "Only the owner can delete or restore the set.")
      : SyncRejection("forbidden", "The set may be read only.")
  }

  /// The record as devices receive it; `nil` when the user does not see it.
  private func wire(_ record: RecordID) throws -> SyncRecord? {
    guard let (stored, content) = writer.record(record), try writer.role(in: stored.space) != nil else { return nil }
    return stored.wire(content)
  }
}

extension Timestamp {
  /// Milliseconds since 1970 as hybrid logical clocks count them; 0 before.
  var hybridMilliseconds: UInt64 { UInt64(max(0, microseconds / 1000)) }
}
