import Contracts
import Persistence
import ServiceKit

/// The synchronization of devices: one request takes what a device did and returns what it does not have.
struct Sync: Feature {
  static let maxOperations = 1000
  /// How long deletions are known. A device that was away for longer begins again.
  static let horizonSeconds = 180 * 86_400.0

  private let core: StudyCore

  init(_ core: StudyCore) { self.core = core }

  func register(in routes: inout Routes) { routes.on(StudyAPI.Sync.self, sync) }

  private func sync(_ request: StudyAPI.Sync, _ call: Call) async throws -> SyncResponse {
    let user = try call.user.id
    let operations = request.operations ?? []
    guard operations.count <= Self.maxOperations else {
      throw Problem(
        .invalidRequest,
        errors: [.init(location: "body.operations", message: "must be at most \(Self.maxOperations)")])
    }
    let received = core.time.now()
    let isKnown = try await core.database.read { db in
      try DeviceStore.isKnown(request.device, of: user, at: received, in: db)
    }
    var push = SyncPush.Result()
    if !operations.isEmpty || !isKnown {
      push = try await core.database.write { [core] tx in
        try DeviceStore.record(request.device, of: user, in: tx)
        return try core.write(as: user, device: request.device, in: tx) { writer in
          try SyncPush.run(operations, deviceTime: request.deviceTime, received: received, writer)
        }
      }
    }
    // After the operations have been taken, so that a device that must begin again loses nothing.
    let cursor = try request.cursor.map { text in
      guard let cursor = SyncCursor(text),
        cursor.issuedAt >= received.advanced(bySeconds: -Self.horizonSeconds).hybridMilliseconds
      else { throw Problem(.mustRefetch) }
      return cursor
    }
    let (limit, known) = (request.limit?.value ?? SyncPageSize.range.upperBound, push.known)
    let page = try await core.database.read { db in
      try SyncPull(user: user, limit: limit, known: known, db: db)
        .page(after: cursor, again: request.refetch ?? [], at: received)
    }
    return SyncResponse(
      results: push.results, changes: try page.items.map(wire), removedSets: page.removedSets,
      cursor: page.cursor.text, hasMore: page.hasMore, checksums: page.checksums, serverTime: received,
      clockSkewMilliseconds: push.clockSkewMilliseconds)
  }

  private func wire(_ item: SyncPull.Page.Item) throws -> SyncRecord {
    switch item {
    case .record(let record): try core.records.wire(record)
    case .entry(let entry): try core.log.open(entry).wire
    }
  }
}
