import Contracts
import SyncMerge

/// One run of ``StudyClient/sync()``.
struct SyncSession {
  /// How often a collection is read again before the session gives up; more than once because of changes in between.
  private static let maxRefetches = 2
  /// How many responses in a row may bring nothing although more are announced, as when few records of many are read
  /// again.
  private static let maxEmptyResponses = 2000
  /// How often another client on the same file may be in the way.
  private static let maxCollisions = 20

  private let client: StudyClient
  private var summary = SyncSummary()
  private var verifies: Bool
  private var batch: Int
  private var refetches: [SyncCollection: Int] = [:]
  private var (emptyResponses, collisions) = (0, 0)

  /// - Parameter verifies: Whether the copies are verified from their content.
  init(_ client: StudyClient, verifies: Bool) {
    (self.client, self.verifies, batch) = (client, verifies, client.limits.operations)
  }

  mutating func run() async throws -> SyncSummary {
    while true {
      try Task.checkCancellation()
      let sent = try await prepare(batch)
      try client.reach(.prepared)
      let response: SyncResponse
      do {
        response = try await client.transport.synchronize(sent.endpoint)
      } catch {
        try await recover(from: error, sent)
        continue
      }
      try client.reach(.received)
      batch = min(client.limits.operations, max(1, batch) * 2)
      if try await store(response, sent) { return summary }
    }
  }

  private func prepare(_ batch: Int) async throws -> SentRequest {
    let limits = client.limits
    return try await client.read { tx in
      // The first response shows how far the clock is off, before anything is sent with its times.
      let operations =
        tx.state.hasConnected && batch > 0
        ? try PendingTable.first(batch, maxBytes: limits.bytes, tx.db) : []
      let deviceTime = tx.state.corrected(tx.now)
      let endpoint = StudyAPI.Sync(
        device: tx.state.device, deviceTime: deviceTime, cursor: tx.state.cursor,
        operations: operations.isEmpty ? nil : operations.map { .valid($0.operation) }, limit: limits.page,
        refetch: tx.state.refetch)
      return SentRequest(
        endpoint: endpoint, operations: operations, generation: tx.state.generation, deviceTime: deviceTime)
    }
  }

  /// - Returns: Whether the device has everything.
  private mutating func store(_ response: SyncResponse, _ sent: SentRequest) async throws -> Bool {
    let (verifies, reach) = (verifies, client.reach)
    let outcome: ResponseApplication.Outcome
    do {
      outcome = try await client.write(.received) { tx in
        var application = ResponseApplication(response, sent, tx)
        let outcome = try application.run(verifies: verifies)
        try reach(.applying)
        return outcome
      }
    } catch is ResponseApplication.Superseded {
      collisions += 1
      guard collisions < Self.maxCollisions else {
        throw StudyClientError.invalidResponse("another client synchronizes the same file")
      }
      return false
    }
    try reach(.applied)
    count(outcome, response)
    if outcome.verified { self.verifies = false }
    let isEmpty = outcome.acknowledged == 0 && response.changes.isEmpty && response.removedSets.isEmpty
    emptyResponses = isEmpty ? emptyResponses + 1 : 0
    if !sent.operations.isEmpty, outcome.acknowledged == 0 {
      throw StudyClientError.invalidResponse("no result for any operation")
    }
    if emptyResponses > Self.maxEmptyResponses { throw StudyClientError.invalidResponse("no end") }
    if response.hasMore { return false }
    if !outcome.differing.isEmpty, try await refetch(outcome.differing) { return false }
    summary.differing = outcome.differing
    return outcome.pending == 0
  }

  private mutating func count(_ outcome: ResponseApplication.Outcome, _ response: SyncResponse) {
    summary.requests += 1
    summary.sentOperations += outcome.acknowledged
    summary.refusedOperations += outcome.refused
    summary.receivedRecords += response.changes.count
  }

  /// Has collections read again that differ from the server's.
  ///
  /// - Returns: Whether there is hope.
  private mutating func refetch(_ collections: [SyncCollection]) async throws -> Bool {
    let wanted = collections.filter { refetches[$0, default: 0] < Self.maxRefetches }
    guard !wanted.isEmpty else { return false }
    for collection in wanted {
      refetches[collection, default: 0] += 1
      if !summary.healed.contains(collection) { summary.healed.append(collection) }
    }
    try await client.write(.received) { tx in
      tx.state.refetch = wanted
      tx.state.generation += 1
    }
    try client.reach(.refetching)
    return true
  }

  // MARK: failures

  /// Returns when the request should be prepared again, in another way.
  private mutating func recover(from error: CallError, _ sent: SentRequest) async throws {
    guard case .problem(let problem) = error else { throw error }
    if problem.is(.mustRefetch), sent.endpoint.cursor != nil {
      // The operations have been taken; their results come with the next request.
      try await client.write(.received) { tx in
        guard tx.state.cursor == sent.endpoint.cursor else { return }
        (tx.state.cursor, tx.state.refetch, tx.state.isRefetchingAll) = (nil, nil, true)
        tx.state.generation += 1
      }
      try client.reach(.refetching)
      return
    }
    // A request that is refused as a whole must not be repeated forever because of one operation in it.
    guard [400, 413, 422].contains(problem.status), !sent.operations.isEmpty else { throw error }
    if sent.operations.count > 1 {
      batch = sent.operations.count / 2
      return
    }
    // Is it the operation, or everything that this device sends?
    let probe = try await prepare(0)
    let response = try await client.transport.synchronize(probe.endpoint)
    _ = try await store(response, probe)
    let operation = sent.operations[0]
    try await client.write(.received) { tx in
      try tx.refuse(operation, code: problem.code, message: problem.detail ?? problem.title)
    }
    summary.refusedOperations += 1
  }
}

/// A request, with what it was made of.
struct SentRequest: Sendable {
  var endpoint: StudyAPI.Sync
  var operations: [PendingOperation]
  var generation: Int64
  /// The time in it.
  var deviceTime: Timestamp
}

extension DeviceTransaction {
  /// Moves an operation to those that the user sees as refused.
  func refuse(_ pending: PendingOperation, code: String, field: String? = nil, message: String) throws {
    try RefusedTable.insert(
      RefusedOperation(
        operation: pending.operation, code: code, field: field, message: message, refusedAt: state.corrected(now)),
      db)
    try PendingTable.delete(pending.number, db)
    var record = try find(pending.key) ?? DeviceRecord(pending.key, set: pending.operation.set)
    try rebase(&record)
    try save(record)
  }
}
