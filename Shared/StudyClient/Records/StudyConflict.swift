public import Contracts
import GRDB
import SyncMerge

/// The concurrent edits of two devices that a person has to resolve.
public struct StudyConflict: Sendable, Equatable {
  public enum Kind: Sendable, Equatable {
    /// Texts that could not be merged; see ``LocalRecord/variants``.
    case variants
    /// The record was deleted together with edits that the deleting device had not seen.
    case lostEdits
  }

  public let record: LocalRecord
  public let kind: Kind
}

extension StudyClient {
  /// Everything that a person has to decide.
  public func conflicts() async throws -> [StudyConflict] {
    try await read { tx in
      try tx.db.rows(
        "SELECT \(RecordTable.columns) FROM records WHERE has_conflict = 1 ORDER BY collection, id"
      ).compactMap { row in
        let record = try RecordTable.decode(row)
        guard let kind = record.conflict, let local = LocalRecord(record) else { return nil }
        return StudyConflict(record: local, kind: kind)
      }
    }
  }

  /// Decides a conflict. Of lost edits, `text` restores the record if it is set, and is otherwise without effect.
  ///
  /// - Parameter text: The texts to keep, by field; unset, the record stays as it is.
  public func resolve(_ conflict: StudyConflict, keeping text: SyncFields? = nil) async throws {
    let record = conflict.record
    guard let collection = SyncCollection(rawValue: record.collection) else { throw StudyClientError.notFound }
    switch conflict.kind {
    case .variants:
      try await put(collection, record.id, text ?? SyncFields(), dismissing: record.variants.map(\.version))
    case .lostEdits:
      guard let text else { return try await dismissLostEdits(RecordKey(collection: record.collection, id: record.id)) }
      try await restore(collection, record.id)
      if !text.members.isEmpty { try await put(collection, record.id, text) }
    }
  }

  /// Only on this device: the server keeps them for 30 days.
  private func dismissLostEdits(_ key: RecordKey) async throws {
    try await write(.received) { tx in
      guard var record = try tx.find(key) else { throw StudyClientError.notFound }
      record.dismissed = record.view?.lifecycle
      try tx.save(record)
    }
  }
}
