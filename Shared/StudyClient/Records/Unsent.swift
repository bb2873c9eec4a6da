public import Contracts

/// The operations that a device has and the server has not.
public struct UnsentOperations: Codable, Sendable, Equatable {
  /// In the order in which they were done.
  public var pending: [SyncOperation]
  /// The operations that the server has rejected, such as edits of a set that is no longer shared.
  public var refused: [RefusedOperation]
}

extension StudyClient {
  /// The operations that have not been sent or were rejected, for a file that the user can keep.
  public func unsentOperations() async throws -> UnsentOperations {
    try await read { tx in
      UnsentOperations(
        pending: try PendingTable.all(tx.db).map(\.operation), refused: try RefusedTable.list(tx.db))
    }
  }

  /// ``unsentOperations()`` as JSON.
  public func exportUnsent() async throws -> [UInt8] { try WireJSON.encode(try await unsentOperations()) }

  public func pendingCount() async throws -> Int { try await read { tx in try PendingTable.count(tx.db) } }

  /// The operations that the server has rejected, oldest first.
  public func refusedOperations() async throws -> [RefusedOperation] {
    try await read { tx in try RefusedTable.list(tx.db) }
  }

  /// Removes a rejected operation from the list.
  public func dismissRefused(_ id: String) async throws {
    try await write(.received) { tx in try RefusedTable.delete(id, tx.db) }
  }

  /// Does a rejected operation again, as a new one, for example when the set is shared again.
  public func retryRefused(_ id: String) async throws {
    try await write(.local) { [ids] tx in
      guard let refused = try RefusedTable.find(id, tx.db) else { throw StudyClientError.notFound }
      let operation = refused.operation
      let key = RecordKey(collection: operation.collection, id: operation.record)
      try RefusedTable.delete(id, tx.db)
      try tx.enqueue(
        operation.action, key, set: operation.set, id: key.isLog ? operation.id : ids.text(),
        fields: operation.fields, base: operation.base, dismissed: operation.dismissed, seen: operation.seen)
    }
  }
}
