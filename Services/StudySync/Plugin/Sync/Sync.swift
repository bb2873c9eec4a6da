import Contracts
import Persistence
import PlatformRules
import ServiceKit
import ServiceLifecycle

/// The synchronization of devices: one request takes what a device did and returns what it does not have.
struct Sync: Feature {
  private let core: StudyCore
  private let media: MediaUses

  init(_ core: StudyCore) { (self.core, media) = (core, MediaUses(core.environment)) }

  func register(in routes: inout Routes) { routes.on(StudyAPI.Sync.self, sync) }

  var workers: [any Service] {
    let retention = SyncRetention(core: core)
    return [
      PeriodicTask("sync.retention", per: .platform, every: .seconds(3600), logger: core.logger) {
        try await retention.run()
      }
    ]
  }

  private func sync(_ request: StudyAPI.Sync, _ call: Call) async throws -> SyncResponse {
    let user = try call.user.id
    let collections = try call.user.collections
    let operations = request.operations ?? []
    let received = core.time.now()
    let cursor = request.cursor.flatMap { SyncCursor($0) }
    var push = SyncPush.Result()
    if !operations.isEmpty {
      var checked = SyncPush.Request(operations, deviceTime: request.deviceTime, received: received, cursor: cursor)
      let object = Topic("sync", core.ids.text())
      checked.mediaCheckedFor = object
      checked.collections = collections
      checked.ownedMedia = await media.owned(checked.media, by: user, for: object)
      checked.allowsSharing = try !call.user.awaitsGuardian
      if checked.hasHealthData { checked.allowsHealthData = try await core.consents.isGiven(.healthData, by: user) }
      let pushed = checked
      push = try await core.database.write { [core] tx in
        try DeviceStore.record(request.device, of: user, in: tx)
        return try core.write(as: user, device: request.device, in: tx) { try SyncPush.run(pushed, $0) }
      }
    }
    // After the operations have been taken, so that a device that must begin again loses nothing.
    if request.cursor != nil {
      guard let cursor, cursor.isValid(at: received) else { throw Problem(.mustRefetch) }
    }
    let (limit, known) = (request.limit?.value ?? SyncPageSize.range.upperBound, push.known)
    let (page, isKnown) = try await core.database.read { db in
      let pull = SyncPull(user: user, collections: collections, limit: limit, known: known, db: db)
      return (
        try pull.page(after: cursor, refetch: request.refetch ?? [], at: received),
        try DeviceStore.isKnown(request.device, of: user, at: received, in: db)
      )
    }
    if !isKnown {
      try await core.database.write { tx in try DeviceStore.record(request.device, of: user, in: tx) }
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

extension UserCaller {
  /// The collections that the caller's app may synchronize.
  var collections: Set<SyncCollection> { Set(SyncCollection.allCases.filter { has($0.scope) }) }
}
