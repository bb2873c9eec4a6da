import Contracts
import GRDB
import SyncMerge

/// Stores a response in one transaction: results, changes, cursor and clock take effect together or not at all.
struct ResponseApplication {
  /// Another client has synchronized the same file since the request was prepared.
  struct Superseded: Error {}

  struct Outcome: Sendable {
    var acknowledged = 0
    var refused = 0
    /// How many operations are left.
    var pending = 0
    /// Collections of which the copy differs from the server's.
    var differing: [SyncCollection] = []
    /// Whether the copies were verified from their content.
    var verified = false
  }

  private let response: SyncResponse
  private let sent: SentRequest
  private let tx: DeviceTransaction
  private var records: [RecordKey: DeviceRecord] = [:]
  private var order: [RecordKey] = []
  private var outcome = Outcome()
  private var hasCorrectedVersions = false

  init(_ response: SyncResponse, _ sent: SentRequest, _ tx: DeviceTransaction) {
    (self.response, self.sent, self.tx) = (response, sent, tx)
  }

  mutating func run(verifies: Bool) throws -> Outcome {
    guard tx.state.cursor == sent.endpoint.cursor, tx.state.generation == sent.generation else { throw Superseded() }
    for set in response.removedSets { try purge(set) }
    try applyResults()
    for change in response.changes {
      let key = RecordKey(collection: change.collection, id: change.id)
      try edit(key) { $0.replace(with: change) }
    }
    try correctClock()
    try saveRecords()
    tx.state.cursor = response.cursor
    tx.state.hasConnected = true
    if !response.hasMore {
      try finishRefetch()
      try tx.finish()
      try compare(verifies: verifies)
    }
    outcome.pending = try PendingTable.count(tx.db)
    return outcome
  }

  // MARK: records

  /// Changes a server's copy.
  private mutating func edit(_ key: RecordKey, _ body: (inout DeviceRecord) -> Void) throws {
    try touch(key)
    guard var record = records[key] else { return }
    body(&record)
    record.generation = tx.state.generation
    if let version = record.server?.version { tx.state.observe(version) }
    records[key] = record
  }

  /// Has a record stored at the end, with its pending operations on top.
  private mutating func touch(_ key: RecordKey) throws {
    guard records[key] == nil else { return }
    records[key] = try tx.find(key) ?? DeviceRecord(key)
    order.append(key)
  }

  private mutating func saveRecords() throws {
    let hasPending = try PendingTable.count(tx.db) > 0
    for key in order {
      guard var record = records[key] else { continue }
      record.pending = nil
      if hasPending { try tx.rebase(&record) }
      try tx.save(record)
    }
  }

  /// Deletes the copy of a set. What has not been sent stays pending: the server judges it.
  private mutating func purge(_ set: StudySetID) throws {
    let rows = try tx.db.rows(
      "SELECT \(RecordTable.columns) FROM records WHERE set_id = ? OR (collection = ? AND id = ?)",
      [set.rawValue, SyncCollection.sets.rawValue, set.rawValue])
    for row in rows {
      var record = try RecordTable.decode(row)
      // The log of what was studied is the user's.
      if record.key.isLog { continue }
      record.server = nil
      try tx.rebase(&record)
      try tx.save(record)
    }
  }

  // MARK: results

  private mutating func applyResults() throws {
    let results = Dictionary(response.results.map { ($0.operation, $0) }) { first, _ in first }
    for pending in sent.operations {
      guard let result = results[pending.operation.id] else { continue }
      try apply(result, to: pending)
      outcome.acknowledged += 1
    }
  }

  private mutating func apply(_ result: SyncResult, to pending: PendingOperation) throws {
    let operation = pending.operation
    try PendingTable.delete(pending.number, tx.db)
    if let version = result.version {
      hasCorrectedVersions = true
      tx.state.observe(min(version, limit))
    }
    switch result.status {
    case .applied, .merged, .duplicate:
      try edit(pending.key) { record in
        if let current = result.record {
          record.replace(with: current)
        } else if result.status == .applied || record.key.isLog {
          record.acknowledge(operation, version: result.version ?? operation.version)
        }
      }
    case .rejected:
      outcome.refused += 1
      let refused = RefusedOperation(
        operation: operation, code: result.code ?? "rejected", field: result.field, message: result.message ?? "",
        refusedAt: response.serverTime)
      try RefusedTable.insert(refused, tx.db)
      try touch(pending.key)
    }
  }

  // MARK: clock

  /// No version of the server is later; a rejected operation's may be anything.
  private var limit: HybridTime {
    HybridTime(
      milliseconds: response.serverTime.hybridMilliseconds + UInt64(ClockCorrection.tolerance), counter: .max,
      device: .max)
  }

  /// How far the device's clock was behind when the request was sent, in milliseconds; 0 within the tolerance.
  private var skew: Int64 {
    let difference = (response.serverTime.microseconds - sent.deviceTime.microseconds) / 1000
    return response.clockSkewMilliseconds ?? (abs(difference) > ClockCorrection.tolerance ? difference : 0)
  }

  /// Sets the device's clock by the server's and gives what has not been sent the times that it would have had.
  private mutating func correctClock() throws {
    let skew = skew
    guard skew != 0 || hasCorrectedVersions else { return }
    tx.state.offsetMilliseconds += skew
    var correction = ClockCorrection(
      now: response.serverTime.hybridMilliseconds, deviceTime: sent.deviceTime.hybridMilliseconds)
    for pending in sent.operations {
      _ = correction.correct(pending.operation.version, seen: pending.operation.seen ?? .zero)
    }
    var last = tx.state.observed
    for var pending in try PendingTable.all(tx.db) {
      let version = correction.correct(pending.operation.version, seen: pending.operation.seen ?? .zero)
      last = max(last, version)
      let isMoved = skew != 0 && pending.key.isLog
      guard version != pending.operation.version || isMoved else { continue }
      pending.operation.version = version
      // An entry that the server has all the same, because a response was lost, is answered with the one it has.
      if isMoved { pending.operation.fields?.move(time: "at", byMilliseconds: skew) }
      try PendingTable.update(pending, tx.db)
      try touch(pending.key)
    }
    tx.state.clock = last
  }

  // MARK: the end

  /// Removes what was not among the records that were read again.
  private func finishRefetch() throws {
    guard tx.state.isRefetchingAll || tx.state.refetch != nil else { return }
    for row in try tx.db.rows(
      "SELECT \(RecordTable.columns) FROM records WHERE generation < ? AND server IS NOT NULL", [tx.state.generation])
    {
      var record = try RecordTable.decode(row)
      // Deleted records are returned only with everything.
      let isOld =
        tx.state.isRefetchingAll
        || (tx.state.refetch?.contains { $0 == record.key.known } ?? false && record.storedHash != nil)
      guard isOld else { continue }
      record.server = nil
      try tx.rebase(&record)
      try tx.save(record)
    }
    (tx.state.isRefetchingAll, tx.state.refetch) = (false, nil)
  }

  /// Compares the copies with the server's checksums.
  private mutating func compare(verifies: Bool) throws {
    let isDue = tx.state.verifiedAt.map { response.serverTime.seconds(since: $0) > Verification.interval } ?? true
    if verifies || isDue { try verify() }
    guard let checksums = response.checksums else { return }
    var differing = try Verification.differing(checksums, tx.db)
    if !differing.isEmpty, !outcome.verified {
      // Perhaps only the sums are wrong.
      try verify()
      differing = try Verification.differing(checksums, tx.db)
    }
    outcome.differing = differing
  }

  private mutating func verify() throws {
    try Verification.recount(at: response.serverTime, tx.db)
    tx.state.verifiedAt = response.serverTime
    outcome.verified = true
  }
}

extension SyncFields {
  fileprivate mutating func move(time name: String, byMilliseconds milliseconds: Int64) {
    guard let index = members.firstIndex(where: { $0.name == name }),
      let time = members[index].value.string.flatMap({ Timestamp($0) })
    else { return }
    members[index].value = .string(time.advanced(bySeconds: Double(milliseconds) / 1000).description)
  }
}
