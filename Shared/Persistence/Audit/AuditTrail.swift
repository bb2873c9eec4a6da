public import Contracts
import Crypto

/// The actor of an audited action; see ``Transaction/audit(_:object:by:changes:)``.
public struct AuditActor: Sendable, Equatable {
  public var name: String
  public var session: SessionID?
  public var address: String?

  /// - Parameter name: `user:<id>`, `service:<name>`, `client:<id>`, `operator` or `anonymous`.
  public init(_ name: String, session: SessionID? = nil, address: String? = nil) {
    self.name = name
    self.session = session
    self.address = address
  }

  /// A user whose identity was just verified, such as at sign-in.
  public static func user(_ id: UserID, session: SessionID? = nil, address: String? = nil) -> AuditActor {
    AuditActor("user:\(id)", session: session, address: address)
  }

  /// An operator with shell access to the host.
  public static let `operator` = AuditActor("operator")
}

extension Transaction {
  /// Records an action in the service's audit trail. The entry commits with its effect and is appended to the hash
  /// chain shortly afterward (``AuditTrail/chain()``).
  ///
  /// Do not record personal values: use ``Contracts/AuditChange/masked(_:hadValue:hasValue:)``.
  public func audit(_ action: String, object: String, by actor: AuditActor, changes: [AuditChange] = []) throws {
    try execute(
      """
      INSERT INTO audit (id, at, actor, session, address, action, object, changes)
      VALUES (\(newID()), \(now), \(actor.name), \(actor.session), \(actor.address), \(action), \(object), \(json: changes))
      """
    )
  }
}

/// Reads and verifies a service's audit trail.
///
/// Each link's hash covers the previous link, so altering or removing an entry requires recomputing all later hashes.
/// Comparison with a hash stored elsewhere detects that, which is why ``verify()`` returns the last one.
public struct AuditTrail: Sendable {
  private let database: any Database
  private static let batch = 500

  public init(_ database: any Database) { self.database = database }

  /// Returns the entries that match the filter, newest first.
  public func search(_ filter: AuditFilter, limit: Int, cursor: String?) async throws -> Page<AuditRecord> {
    try await database.read { db in try Self.search(filter, limit: limit, cursor: cursor, in: db) }
  }

  /// Returns the entries that match the filter, newest first.
  public static func search(_ filter: AuditFilter, limit: Int, cursor: String?, in db: any Connection) throws
    -> Page<AuditRecord>
  {
    let conditions = SQL.and(
      cursor.map { "id < \($0)" }, filter.actor.map { "actor = \($0)" }, filter.object.map { "object = \($0)" },
      filter.action.map { "action = \($0)" }, filter.from.map { "at >= \($0)" }, filter.until.map { "at < \($0)" }
    )
    let items = try db.all(
      """
      SELECT \(Self.columns) FROM audit WHERE \(conditions) ORDER BY id DESC LIMIT \(limit + 1)
      """
    ) { try Self.decode($0) }
    let page = Array(items.prefix(limit))
    return Page(items: page, nextCursor: items.count > limit ? page.last?.id : nil)
  }

  /// Appends a batch of committed entries to the chain, in id order. This is separate from the transactions that record
  /// them because they would otherwise all serialize on the end of the chain.
  /// - Returns: The number of entries appended.
  @discardableResult
  public func chain() async throws -> Int {
    let isComplete = try await database.read { db in
      try !db.exists("SELECT 1 FROM audit WHERE sequence IS NULL LIMIT 1")
    }
    if isComplete { return 0 }
    return try await database.write { tx in
      var last: (sequence: Int64, hash: String) =
        try tx.first(
          "SELECT sequence, hash FROM audit WHERE sequence IS NOT NULL ORDER BY sequence DESC LIMIT 1"
        ) { row -> (sequence: Int64, hash: String) in (try row["sequence"], try row["hash"]) } ?? (0, "")
      let new = try tx.all(
        "SELECT \(Self.columns) FROM audit WHERE sequence IS NULL ORDER BY id LIMIT \(Self.batch)"
      ) { try Self.decode($0) }
      for record in new {
        last = (last.sequence + 1, Self.hash(of: record, as: last.sequence + 1, after: last.hash))
        try tx.execute("UPDATE audit SET sequence = \(last.sequence), hash = \(last.hash) WHERE id = \(record.id)")
      }
      return new.count
    }
  }

  /// The result of ``verify()``.
  public struct Verdict: Sendable, Equatable {
    /// The number of valid links before the first invalid one.
    public var links: Int64
    /// The hash of the last valid link.
    public var head: String
    /// The sequence number of the first invalid link; `nil` when the chain is intact.
    public var broken: Int64?
  }

  /// Verifies the chain from its beginning, after appending all pending entries.
  public func verify() async throws -> Verdict {
    while try await chain() > 0 {}
    var verdict = Verdict(links: 0, head: "", broken: nil)
    while true {
      let after = verdict.links
      let batch = try await database.read { db in
        try db.all(
          "SELECT \(Self.columns) FROM audit WHERE sequence > \(after) ORDER BY sequence LIMIT \(Self.batch)"
        ) { try Self.decode($0) }
      }
      if batch.isEmpty { return verdict }
      for record in batch {
        let next = verdict.links + 1
        guard record.sequence == next, Self.hash(of: record, as: next, after: verdict.head) == record.hash else {
          verdict.broken = next
          return verdict
        }
        verdict.links = next
        verdict.head = record.hash ?? ""
      }
    }
  }

  private static let columns: SQL = "id, sequence, at, actor, session, address, action, object, changes, hash"

  private static func decode(_ row: Row) throws -> AuditRecord {
    return AuditRecord(
      id: try row["id"],
      sequence: try row["sequence"],
      at: try row["at"],
      actor: try row["actor"],
      session: try row["session"],
      address: try row["address"],
      action: try row["action"],
      object: try row["object"],
      changes: try row[json: "changes"],
      hash: try row["hash"]
    )
  }

  /// SHA-256 over the previous hash and every field, each prefixed by its length to make the encoding unambiguous.
  static func hash(of record: AuditRecord, as sequence: Int64, after previous: String) -> String {
    var hasher = SHA256()
    func add(_ text: String?) {
      let bytes = text.map { Array($0.utf8) }
      hasher.update(data: Array("\(bytes?.count ?? -1):".utf8) + (bytes ?? []))
    }
    add(previous)
    add(String(sequence))
    add(record.id)
    add(String(record.at.microseconds))
    for text in [record.actor, record.session?.rawValue, record.address, record.action, record.object] { add(text) }
    for change in record.changes { for text in [change.field, change.before, change.after] { add(text) } }
    return hasher.finalize().hexadecimal
  }
}

extension Sequence<UInt8> {
  /// Two lowercase digits per byte.
  package var hexadecimal: String {
    let bytes = Array(self)
    return String(unsafeUninitializedCapacity: 2 * bytes.count) { text in
      func digit(_ value: UInt8) -> UInt8 { value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10 }
      for (index, byte) in bytes.enumerated() {
        (text[2 * index], text[2 * index + 1]) = (digit(byte >> 4), digit(byte & 15))
      }
      return 2 * bytes.count
    }
  }
}
