/// A record that lost an edit: deleted with edits that whoever deleted it had not seen, or with texts that could not be
/// merged.
public struct SyncConflictRecord: Codable, Sendable {
  /// With its fields, also when it is deleted. Those of the cards of a deleted set are not included.
  public var record: SyncRecord
  public var changedAt: Timestamp
  /// Until when a deleted record can be restored.
  public var restorableUntil: Timestamp?

  public init(record: SyncRecord, changedAt: Timestamp, restorableUntil: Timestamp?) {
    (self.record, self.changedAt, self.restorableUntil) = (record, changedAt, restorableUntil)
  }
}

public enum SyncedRecord {}
/// The id of a synchronized record.
public typealias SyncedRecordID = ID<SyncedRecord>
