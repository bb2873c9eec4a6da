public import SyncMerge

public enum StudyDevice {}
/// A device, or a browser's storage: what has a copy of a user's records and a clock of its own.
public typealias StudyDeviceID = ID<StudyDevice>

/// A change that a device made to a record while it may have been offline.
public struct SyncOperation: Codable, Sendable, Equatable {
  /// A new random UUID; the operation takes effect once, however often it is sent. That of a log entry is its record's.
  public var id: String
  /// A ``SyncCollection``.
  public var collection: String
  /// A UUID; of a new record a new one.
  public var record: String
  /// The set of a card.
  public var set: StudySetID?
  public var action: SyncAction
  /// When it was done, by the device's hybrid logical clock; every operation has its own.
  public var version: HybridTime
  /// The greatest version in the record as the server last sent or confirmed it, without what the device itself has done
  /// since; unset for a record that the server does not have.
  public var seen: HybridTime?
  /// The fields that were changed.
  public var fields: SyncFields?
  /// The texts before they were edited, by field.
  public var base: SyncFields?
  /// The versions of variants that the user has dismissed.
  public var dismissed: [HybridTime]?

  public init(
    id: String, collection: SyncCollection, record: String, set: StudySetID? = nil, action: SyncAction = .put,
    version: HybridTime, seen: HybridTime? = nil, fields: SyncFields? = nil, base: SyncFields? = nil,
    dismissed: [HybridTime]? = nil
  ) {
    (self.id, self.collection, self.record, self.set) = (id, collection.rawValue, record, set)
    (self.action, self.version, self.seen) = (action, version, seen)
    (self.fields, self.base, self.dismissed) = (fields, base, dismissed)
  }

  /// The change as the merge sees it.
  ///
  /// - Parameter version: The version that takes the place of the device's.
  public func change(version: HybridTime) -> MergeChange<JSONValue> {
    MergeChange(
      MergeChange.Action(action), version: version, seen: seen ?? .zero,
      fields: (fields?.members ?? []).map { .init(name: $0.name, value: $0.value, base: base?[$0.name]?.string) },
      dismissed: dismissed ?? []
    )
  }
}

public enum SyncAction: String, WireEnum { case put, delete, restore }

extension MergeChange.Action {
  init(_ action: SyncAction) {
    switch action {
    case .put: self = .put
    case .delete: self = .delete
    case .restore: self = .restore
    }
  }
}

/// A value of a list of which one invalid element must not refuse the others.
public enum Lenient<Value: Codable & Sendable>: Codable, Sendable {
  case valid(Value)
  /// An operation that was sent, and the mistake in it.
  case invalid(JSONValue, Problem.Detail)

  public init(from decoder: any Decoder) throws {
    do {
      self = .valid(try Value(from: decoder))
    } catch {
      let detail = WireJSON.problem(of: error, at: "").errors?.first
      self = .invalid(try JSONValue(from: decoder), detail ?? .init(location: "", message: "is not a valid value"))
    }
  }

  public func encode(to encoder: any Encoder) throws {
    switch self {
    case .valid(let value): try value.encode(to: encoder)
    case .invalid(let value, _): try value.encode(to: encoder)
    }
  }
}

extension Lenient: SchemaProviding where Value: SchemaProviding {
  public static var schema: JSONSchema { Value.schema }
  public static var example: Self { .valid(Value.example) }
}

/// The outcome of an operation.
public struct SyncResult: Codable, Sendable, Equatable {
  /// The operation's id; empty when it had none.
  public var operation: String
  public var status: SyncStatus
  /// The reason why it was rejected, such as `invalid-value`; more may be added.
  public var code: String?
  /// The location of the invalid value in the operation, such as `fields.rating`.
  public var field: String?
  public var message: String?
  /// The version that won, or the texts that have been kept.
  public var conflict: SyncConflict?
  /// The version that the server has put in the place of a wrong clock's.
  public var version: HybridTime?
  /// The record as it is now, unless it is what the device has; when its set was deleted, the set's record is among the
  /// changes.
  public var record: SyncRecord?

  public init(
    _ operation: String, _ status: SyncStatus, conflict: SyncConflict? = nil, version: HybridTime? = nil,
    record: SyncRecord? = nil
  ) {
    (self.operation, self.status, self.conflict) = (operation, status, conflict)
    (self.version, self.record) = (version, record)
  }

  private enum CodingKeys: CodingKey { case operation, status, code, field, message, conflict, version, record }

  /// Words of a newer server must not end the synchronization of an older app: an unknown conflict is left out, and an
  /// unknown status is taken for `merged` with a record and `applied` without.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    operation = try container.decode(String.self, forKey: .operation)
    let status = try container.decode(Lenient<SyncStatus>.self, forKey: .status)
    code = try container.decodeIfPresent(String.self, forKey: .code)
    field = try container.decodeIfPresent(String.self, forKey: .field)
    message = try container.decodeIfPresent(String.self, forKey: .message)
    let conflict = try container.decodeIfPresent(Lenient<SyncConflict>.self, forKey: .conflict)
    version = try container.decodeIfPresent(HybridTime.self, forKey: .version)
    record = try container.decodeIfPresent(SyncRecord.self, forKey: .record)
    if case .valid(let status) = status {
      self.status = status
    } else {
      self.status = record == nil ? .applied : .merged
    }
    if case .valid(let conflict)? = conflict { self.conflict = conflict }
  }

  public static func rejected(_ operation: String, _ rejection: SyncRejection) -> SyncResult {
    var result = SyncResult(operation, .rejected)
    (result.code, result.field, result.message) = (rejection.code, rejection.field, rejection.message)
    return result
  }
}

public enum SyncStatus: String, WireEnum {
  /// The record is what the device has.
  case applied
  /// The record has other values too or instead, or something new of others; see `record`.
  case merged
  /// The operation was sent before; see `record`.
  case duplicate
  /// The operation had no effect and never will.
  case rejected
}

public enum SyncConflict: String, WireEnum {
  /// Two edits of a text could not be merged: one is the text, the other a variant.
  case text
  /// The record was deleted; the edit is kept for 30 days and is there when the record is restored.
  case deleted
  /// The deletion took edits with it that the device had not seen; they are kept for 30 days.
  case deletedUnseenEdits
  /// The card's set was deleted; the edit is kept for 30 days and is there when the set is restored.
  case setDeleted
}

/// The reason why an operation was rejected.
public struct SyncRejection: Error, Sendable, Equatable {
  public var code: String
  public var field: String?
  public var message: String

  public init(_ code: String, field: String? = nil, _ message: String) {
    (self.code, self.field, self.message) = (code, field, message)
  }
}
