import Contracts
import Persistence
import ServiceKit
import SyncMerge

/// Edits that were lost: listed, restored, or dismissed through plain endpoints.
struct SyncConflicts: Feature {
  private let core: StudyCore

  init(_ core: StudyCore) { self.core = core }

  func register(in routes: inout Routes) {
    routes.on(StudyAPI.ListSyncConflicts.self) { request, call in try await list(request, for: call.user) }
    routes.on(StudyAPI.RestoreRecord.self) { request, call in try await restore(request.id, by: call.user) }
    routes.on(StudyAPI.ResolveVariants.self) { request, call in try await resolve(request, by: call.user) }
  }

  private func list(_ request: StudyAPI.ListSyncConflicts, for user: UserCaller) async throws -> Page<
    SyncConflictRecord
  > {
    let page = try request.page(by: RecordID.self)
    let found = try await core.database.read { db in
      try page.fetch(
        { after, limit -> [StoredRecord] in
          try RecordStore.conflicts(of: user.id, in: user.collections, after: after, limit: limit, in: db)
        }, key: \.id)
    }
    return found.with(
      try found.rows.map { stored in
        SyncConflictRecord(
          record: try core.records.wire(stored, keepsDeleted: true), changedAt: stored.changedAt,
          restorableUntil: stored.deletedAt == nil ? nil : stored.expiresAt)
      })
  }

  private func restore(_ id: SyncedRecordID, by user: UserCaller) async throws -> SyncRecord {
    try await change(RecordID(trusted: id.rawValue), by: user) { writer, stored, content in
      guard content.isDeleted else { return nil }
      guard RecordRules.isRestorable(content, stored.collection) else { throw Problem(.restoreExpired) }
      return MergeChange(.restore, version: writer.nextVersion(of: stored.id), seen: content.version)
    }
  }

  private func resolve(_ request: StudyAPI.ResolveVariants, by user: UserCaller) async throws -> SyncRecord {
    try await change(RecordID(trusted: request.id.rawValue), by: user) { writer, stored, content in
      var change = MergeChange<JSONValue>(.put, version: writer.nextVersion(of: stored.id), seen: content.version)
      change.dismissed = request.dismissed ?? []
      if let version = request.chosen, let chosen = content.variants.first(where: { $0.version == version }) {
        change.fields = [.init(name: chosen.field, value: .string(chosen.text), base: content[chosen.field]?.string)]
        change.dismissed.append(version)
      }
      return change
    }
  }

  /// Changes a record that the user may edit.
  ///
  /// - Parameter body: Returns the change; `nil` for none.
  private func change(
    _ id: RecordID, by user: UserCaller,
    _ body: @escaping @Sendable (SpaceWriter, StoredRecord, MergeRecord<JSONValue>) throws -> MergeChange<JSONValue>?
  ) async throws -> SyncRecord {
    try await core.database.write { [core] tx in
      try core.write(as: user.id, in: tx) { writer in
        try writer.load([id])
        guard let (stored, content) = writer.record(id), user.collections.contains(stored.collection),
          let role = try writer.role(in: stored.space)
        else {
          throw Problem(.recordNotFound)
        }
        let isOfSet = stored.collection == .sets && content.isDeleted
        guard role >= (isOfSet ? .owner : .editor) else { throw Problem(.recordReadOnly) }
        if let change = try body(writer, stored, content) {
          _ = try writer.apply(change, to: id, stored.collection, in: stored.space)
        }
        return stored.wire(writer.record(id)?.content ?? content)
      }
    }
  }
}
