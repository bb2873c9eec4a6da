public import Contracts
import GRDB
public import SyncMerge

/// A record as the device shows it: the server's copy with what has not been sent.
public struct LocalRecord: Sendable, Equatable {
  /// A ``Contracts/SyncCollection``, or one that a newer server has.
  public let collection: String
  public let id: String
  /// The set of a card.
  public let set: StudySetID?
  /// Also those that this version of the app does not know.
  public let fields: SyncFields
  /// Texts that lost against another device's edit.
  public let variants: [SyncVariant]
  public let isDeleted: Bool
  /// Whether the deletion took edits with it that whoever deleted had not seen.
  public let hasLostEdits: Bool
  /// Whether there are changes that the server has not acknowledged.
  public let isPending: Bool

  public subscript(name: String) -> JSONValue? { fields[name] }

  /// The text of a field; empty when it has none.
  public func text(_ name: String) -> String { fields[name]?.string ?? "" }

  /// The sort key of lists, before the id.
  var position: String { RecordTable.position { fields[$0] } }

  init?(_ record: DeviceRecord) {
    guard let view = record.view else { return nil }
    (collection, id, set) = (record.key.collection, record.key.id, record.set)
    fields = SyncFields(view.fields.map { .init(name: $0.name, value: $0.value) })
    variants = view.variants.map { SyncVariant(field: $0.field, text: $0.text, version: $0.version) }
    (isDeleted, hasLostEdits, isPending) = (view.isDeleted, view.hasLostEdits, record.pending != nil)
  }
}

extension StudyClient {
  // MARK: reading

  /// A record, also a deleted one; `nil` when the device has none.
  public func record(_ collection: SyncCollection, _ id: String) async throws -> LocalRecord? {
    let key = try Self.key(collection, id)
    return try await read { tx in try tx.find(key).flatMap { LocalRecord($0) } }
  }

  /// Records that are not deleted, in the order of their positions, entries of logs in that of their times.
  ///
  /// - Parameters:
  ///   - set: Only the cards of a set, or what was studied of it.
  ///   - after: The last record of the previous page.
  public func records(
    in collection: SyncCollection, of set: StudySetID? = nil, after last: LocalRecord? = nil, limit: Int = 1000
  ) async throws -> [LocalRecord] {
    try await records(
      set == nil ? "" : "set_id = ? AND ", set.map { [$0.rawValue] } ?? [], in: collection, after: last, limit: limit)
  }

  /// The answers to a card, oldest first.
  public func reviews(of card: CardID, after last: LocalRecord? = nil, limit: Int = 1000) async throws -> [LocalRecord]
  {
    try await records("card_id = ? AND ", [card.rawValue], in: .reviews, after: last, limit: limit)
  }

  private func records(
    _ condition: String, _ values: [String], in collection: SyncCollection, after last: LocalRecord?, limit: Int
  ) async throws -> [LocalRecord] {
    try await read { tx in
      try tx.db.rows(
        """
        SELECT \(RecordTable.columns) FROM records
        WHERE \(condition)collection = ? AND is_visible = 1 AND (position, id) > (?, ?)
        ORDER BY position, id LIMIT ?
        """,
        StatementArguments(values) + [collection.rawValue, last?.position ?? "", last?.id ?? "", limit]
      ).compactMap { LocalRecord(try RecordTable.decode($0)) }
    }
  }

  /// The collections of which the device has records, also those that this version of the app does not know.
  public func collections() async throws -> [String] {
    try await read { tx in
      try tx.db.rows("SELECT DISTINCT collection FROM records ORDER BY collection").map { $0["collection"] }
    }
  }

  // MARK: changing

  /// Changes fields of a record, which is created when there is none. Fields that have the value already are left out.
  ///
  /// - Parameters:
  ///   - id: A UUID; of a new record a new one, such as `newID()`.
  ///   - set: The set of a new card.
  ///   - dismissed: Versions of variants that the user has decided against.
  /// - Throws: ``StudyClientError``.
  public func put(
    _ collection: SyncCollection, _ id: String, in set: StudySetID? = nil, _ fields: SyncFields,
    dismissing dismissed: [HybridTime] = []
  ) async throws {
    if collection.isLog { throw StudyClientError.immutable }
    let key = try Self.key(collection, id)
    try await write(.local) { [ids] tx in
      let record = try tx.find(key)
      let view = record?.view
      let changed = fields.members.filter { view?[$0.name] != $0.value }
      guard !changed.isEmpty || !dismissed.isEmpty || view == nil else { return }
      let names = Set(collection.mergedTexts.map(\.field))
      let texts = changed.filter { view != nil && names.contains($0.name) && $0.value.string != nil }
      let base = texts.map { JSONValue.Member(name: $0.name, value: .string(view?[$0.name]?.string ?? "")) }
      try tx.enqueue(
        .put, key, set: record?.set ?? set, id: ids.text(), fields: SyncFields(changed),
        base: base.isEmpty ? nil : SyncFields(base), dismissed: dismissed.isEmpty ? nil : dismissed)
    }
  }

  /// Deletes a record. Does nothing when it is deleted.
  public func delete(_ collection: SyncCollection, _ id: String) async throws {
    try await change(collection, id, .delete) { !$0.isDeleted }
  }

  /// Restores a deleted record with the edits that were lost. Does nothing when it is not deleted.
  public func restore(_ collection: SyncCollection, _ id: String) async throws {
    try await change(collection, id, .restore) { $0.isDeleted }
  }

  private func change(
    _ collection: SyncCollection, _ id: String, _ action: SyncAction,
    _ isNeeded: @Sendable (MergeRecord<JSONValue>) -> Bool
  ) async throws {
    if collection.isLog { throw StudyClientError.immutable }
    let key = try Self.key(collection, id)
    try await write(.local) { [ids] tx in
      guard let record = try tx.find(key), let view = record.view else { throw StudyClientError.notFound }
      guard isNeeded(view) else { return }
      try tx.enqueue(action, key, set: record.set, id: ids.text())
    }
  }

  /// Adds an entry to a log.
  ///
  /// - Returns: The id of the entry.
  @discardableResult
  public func append(_ collection: SyncCollection, _ fields: SyncFields) async throws -> String {
    guard collection.isLog else { throw StudyClientError.invalidValue("\(collection) is not a log") }
    let id = ids.text()
    try await write(.local) { tx in
      // An entry takes effect once by its own id.
      try tx.enqueue(
        .put, RecordKey(collection: collection.rawValue, id: id), set: nil, id: id, fields: fields)
    }
    return id
  }

  /// A new id for a record.
  public func newID() -> String { ids.text() }

  private static func key(_ collection: SyncCollection, _ id: String) throws -> RecordKey {
    guard let id = ID<LocalRecord>(id) else { throw StudyClientError.invalidID(id) }
    return RecordKey(collection: collection.rawValue, id: id.rawValue)
  }
}

extension DeviceTransaction {
  /// An operation must fit into a request with others around it.
  private static let maxBytes = 256 << 10

  /// Stores an operation that is done now, and what it changes.
  ///
  /// - Parameter earlier: What the operation had seen when it was done the first time. Without a copy of the server it
  ///   says that the operation does not make a record: an edit is only a part of one.
  func enqueue(
    _ action: SyncAction, _ key: RecordKey, set: StudySetID?, id: String, fields: SyncFields? = nil,
    base: SyncFields? = nil, dismissed: [HybridTime]? = nil, seen earlier: HybridTime? = nil
  ) throws {
    guard let collection = key.known else { return }
    var record = try find(key) ?? DeviceRecord(key, set: set)
    let seen = record.server?.version ?? earlier ?? .zero
    let operation = SyncOperation(
      id: id, collection: collection, record: key.id, set: set, action: action,
      version: state.nextVersion(at: now), seen: seen == .zero ? nil : seen, fields: fields, base: base,
      dismissed: dismissed)
    try PendingTable.insert(operation, text: try Self.checkedText(operation), db)
    record.apply(operation)
    try save(record)
  }

  /// The operation as JSON that the server accepts inside a request.
  private static func checkedText(_ operation: SyncOperation) throws -> String {
    do {
      let text = try StoredJSON.text(operation)
      guard text.utf8.count <= maxBytes else { throw StudyClientError.tooLarge(text.utf8.count) }
      // Bounds the nesting, with what is around the operation, and refuses names that are repeated.
      _ = try StoredJSON.value(JSONValue.self, "[[[\(text)]]]")
      return text
    } catch let error as Problem {
      throw StudyClientError.invalidValue(error.detail ?? error.title)
    } catch let error as EncodingError {
      throw StudyClientError.invalidValue("\(error)")
    }
  }
}
