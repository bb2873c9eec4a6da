public import SyncMerge

extension StudyAPI {
  static let syncConflicts: [any Endpoint.Type] = [
    ListSyncConflicts.self, RestoreRecord.self, ResolveVariants.self,
  ]

  public struct ListSyncConflicts: PagedEndpoint {
    public typealias Response = Page<SyncConflictRecord>
    public static let operation = Operation.get(
      "/v1/sync/conflicts", "List lost edits that the caller can restore")
    public var limit: PageSize?
    public var cursor: String?
    public init(limit: PageSize? = nil, cursor: String? = nil) { (self.limit, self.cursor) = (limit, cursor) }
  }

  /// A set is restored with its cards. Restoring what is not deleted changes nothing.
  public struct RestoreRecord: Endpoint {
    public typealias Response = SyncRecord
    public static let operation = Operation.post(
      "/v1/sync/conflicts/{id}/restore", "Restore a deleted record with its lost edits",
      idempotency: .idempotent, problems: [.recordNotFound, .recordReadOnly, .restoreExpired]
    )
    public var id: SyncedRecordID
    public init(id: SyncedRecordID) { self.id = id }
  }

  /// Variants that the record does not have are ignored.
  public struct ResolveVariants: Endpoint {
    public typealias Response = SyncRecord
    public static let operation = Operation.post(
      "/v1/sync/conflicts/{id}/resolve", "Resolve texts that could not be merged", idempotency: .idempotent,
      problems: [.recordNotFound, .recordReadOnly]
    )
    public var id: SyncedRecordID
    /// The variant that becomes the text of its field.
    public var chosen: HybridTime?
    /// Variants that are removed besides the chosen one.
    public var dismissed: [HybridTime]?
    public init(id: SyncedRecordID, chosen: HybridTime? = nil, dismissed: [HybridTime]? = nil) {
      (self.id, self.chosen, self.dismissed) = (id, chosen, dismissed)
    }
  }
}

extension Problem.Kind {
  public static let recordNotFound = Self(
    "record-not-found", status: 404, "There is no such record",
    meaning: "The record does not exist, or its collection is not the caller's.",
    remedy: "Synchronize the device, and load the record again.")
  public static let recordReadOnly = Self(
    "record-read-only", status: 403, "The record may be read only",
    meaning: "The record belongs to something that is shared with the caller for reading.",
    remedy: "Offer a copy instead of an edit.")
  public static let restoreExpired = Self(
    "restore-expired", status: 409, "The record was deleted too long ago to be restored",
    meaning: "Deleted records are kept for a limited time, which is over.",
    remedy: "Create the content again.")
}
