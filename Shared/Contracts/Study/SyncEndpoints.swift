extension StudyAPI {
  static let sync: [any Endpoint.Type] = [Sync.self]

  /// Sends what a device did and returns what it does not have, in one round trip. `docs/sync.md` describes the
  /// protocol.
  public struct Sync: Endpoint {
    public typealias Response = SyncResponse
    public static let operation = Operation.post(
      "/v1/sync", "Synchronize a device", idempotency: .idempotent, problems: [.mustRefetch, .tooManyRecords],
      limits: .init(bodyBytes: 2 << 20, seconds: 30)
    )
    public var device: StudyDeviceID
    /// The time that the device's clock shows now; a difference of more than a minute is corrected.
    public var deviceTime: Timestamp
    /// The `cursor` of the previous response; unset, everything is returned.
    public var cursor: String?
    /// In the order in which they were done; at most 1000.
    public var operations: SyncOperationList?
    /// The maximum number of records in `changes`.
    public var limit: SyncPageSize?
    /// Collections whose checksum differs: their records are returned from the beginning. The cursor knows how far; the
    /// same may be sent again with it until `hasMore` is false.
    public var refetch: [SyncCollection]?

    public init(
      device: StudyDeviceID, deviceTime: Timestamp, cursor: String? = nil,
      operations: [Lenient<SyncOperation>]? = nil, limit: SyncPageSize? = nil, refetch: [SyncCollection]? = nil
    ) {
      (self.device, self.deviceTime, self.cursor) = (device, deviceTime, cursor)
      (self.operations, self.limit, self.refetch) = (operations.map { SyncOperationList($0) }, limit, refetch)
    }
  }
}

/// The maximum number of records in a response: 1 to 1000.
public struct SyncPageSize: BoundedInteger {
  public static let range = 1...1000
  public let value: Int
  public init(checked: Int) { value = checked }
  public static var example: Self { Self(checked: 1000) }
}

public struct SyncResponse: Codable, Sendable {
  /// One for each operation, in their order.
  public var results: [SyncResult]
  /// Records that have changed since the cursor, other than by this request.
  public var changes: [SyncRecord]
  /// Sets that the user may no longer see: the device deletes its copy, and keeps what it has not sent for an export.
  public var removedSets: [StudySetID]
  /// Sent with the next request.
  public var cursor: String
  /// Whether the next request should follow at once.
  public var hasMore: Bool
  /// The checksums of an up-to-date device; absent while there is more.
  public var checksums: [SyncChecksum]?
  public var serverTime: Timestamp
  /// How far the device's clock is behind the server's, in milliseconds, when it is more than a minute.
  public var clockSkewMilliseconds: Int64?

  public init(
    results: [SyncResult], changes: [SyncRecord], removedSets: [StudySetID] = [], cursor: String, hasMore: Bool,
    checksums: [SyncChecksum]? = nil, serverTime: Timestamp, clockSkewMilliseconds: Int64? = nil
  ) {
    (self.results, self.changes, self.removedSets) = (results, changes, removedSets)
    (self.cursor, self.hasMore, self.checksums) = (cursor, hasMore, checksums)
    (self.serverTime, self.clockSkewMilliseconds) = (serverTime, clockSkewMilliseconds)
  }

  private enum CodingKeys: CodingKey {
    case results, changes, removedSets, cursor, hasMore, checksums, serverTime, clockSkewMilliseconds
  }

  /// Leaves out the checksums of collections that a newer server has.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    results = try container.decode([SyncResult].self, forKey: .results)
    changes = try container.decode([SyncRecord].self, forKey: .changes)
    removedSets = try container.decode([StudySetID].self, forKey: .removedSets)
    cursor = try container.decode(String.self, forKey: .cursor)
    hasMore = try container.decode(Bool.self, forKey: .hasMore)
    checksums = try container.decodeIfPresent([Lenient<SyncChecksum>].self, forKey: .checksums)?.compactMap {
      if case .valid(let checksum) = $0 { checksum } else { nil }
    }
    serverTime = try container.decode(Timestamp.self, forKey: .serverTime)
    clockSkewMilliseconds = try container.decodeIfPresent(Int64.self, forKey: .clockSkewMilliseconds)
  }
}

/// The content of a collection in one number, whatever the order of its records.
public struct SyncChecksum: Codable, Sendable, Equatable {
  public var collection: SyncCollection
  /// The number of records that are not deleted.
  public var count: Int
  /// The sum of the records' hashes modulo 2⁶⁴, in 16 hexadecimal digits.
  public var sum: String

  public init(collection: SyncCollection, count: Int, sum: String) {
    (self.collection, self.count, self.sum) = (collection, count, sum)
  }
}

extension Problem.Kind {
  public static let tooManyRecords = Self(
    "too-many-records", status: 413, "The operations concern too much at once: send fewer in a request",
    meaning: "The operations of the request change or load more records than one request may.",
    remedy: "Split the operations and send fewer in each request. None of them was applied.")
  public static let mustRefetch = Self(
    "must-refetch", status: 410,
    "The cursor is too old: send the operations again without a cursor and replace the device's copy",
    meaning: "The server no longer has the changes since the cursor, so that the device cannot be brought up to date "
      + "from there.",
    remedy: "Send the operations again without a cursor, and replace the device's copy with the answer.")
}
