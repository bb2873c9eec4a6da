public import Contracts

/// The hash chain of a service's audit trail.
///
/// Each link's hash covers the previous link and is keyed, so that neither altering nor removing an entry can be hidden
/// without the key. That the end is missing shows in comparison with the heads that other services have noted
/// (``AuditHeadNotes``).
public struct AuditChain: Sendable {
  let database: any Database
  /// The name of the service.
  public let service: String
  let keys: any AuditKeys
  static let batch = 500
  /// Woken when there are new entries.
  public static let topic = "audit"

  public init(_ database: any Database, of service: String, keys: any AuditKeys) {
    (self.database, self.service, self.keys) = (database, service, keys)
  }

  /// Appends a batch of committed entries to the chain, in id order. This is separate from the transactions that record
  /// them because they would otherwise all serialize on the end of the chain.
  /// - Returns: The number of entries appended.
  @discardableResult
  public func extend() async throws -> Int {
    let isComplete = try await database.read { db in
      try !db.exists("SELECT 1 FROM audit WHERE sequence IS NULL LIMIT 1")
    }
    if isComplete { return 0 }
    let key = keys.auditKey
    return try await database.write { tx in
      var last = try Self.last(in: tx) ?? AuditBase.find(in: tx).map { ($0.sequence, $0.hash) } ?? (0, "")
      let new = try tx.all(
        "SELECT \(AuditTrail.columns) FROM audit WHERE sequence IS NULL ORDER BY id LIMIT \(Self.batch)"
      ) { try AuditTrail.decode($0) }
      var links: [[SQLValue]] = []
      for var record in new {
        record.key = key
        let hash = try hash(of: record, key: key, as: last.sequence + 1, after: last.hash)
        last = (last.sequence + 1, hash)
        links.append([record.id.sqlValue, last.sequence.sqlValue, hash.sqlValue, key.sqlValue])
      }
      // Both databases name the columns of a list of values so.
      try tx.execute(
        """
        UPDATE audit SET sequence = CAST(link.column2 AS BIGINT), hash = link.column3, key = link.column4
        FROM (VALUES
        """, rows: links, ") AS link WHERE audit.id = link.column1")
      return new.count
    }
  }

  static func last(in db: any Connection) throws -> (sequence: Int64, hash: String)? {
    try db.first(
      "SELECT sequence, hash FROM audit WHERE sequence IS NOT NULL ORDER BY sequence DESC LIMIT 1"
    ) { row -> (sequence: Int64, hash: String) in (try row["sequence"], try row["hash"]) }
  }

  /// The end of the chain, signed; `nil` while there is none.
  public func head() async throws -> AuditHead? {
    guard let last = try await database.read({ try Self.last(in: $0) }) else { return nil }
    let key = keys.auditKey
    let code = try code(of: "head", last.sequence, last.hash, key: key)
    return AuditHead(service: service, sequence: last.sequence, hash: last.hash, key: key, code: code)
  }

  /// The hash of a link, also of the last one that was removed because of its age.
  public func hash(at sequence: Int64) async throws -> String? {
    try await database.read { db in
      if let hash: String = try db.value("SELECT hash FROM audit WHERE sequence = \(sequence)") { return hash }
      return try AuditBase.find(in: db).flatMap { $0.sequence == sequence ? $0.hash : nil }
    }
  }

  /// Whether a head was signed with one of the chain's keys.
  public func isAuthentic(_ head: AuditHead) -> Bool {
    guard head.service == service, let code = try? code(of: "head", head.sequence, head.hash, key: head.key) else {
      return false
    }
    return Self.areEqual(code, head.code)
  }

  /// The key of a link or of a signature is not in the key ring.
  public struct UnknownKey: Error {
    public let name: String
  }

  /// A signature over a position in the chain.
  ///
  /// - Parameter purpose: Separates the signatures of heads and of the ends of removed parts.
  func code(of purpose: String, _ sequence: Int64, _ hash: String, key: String) throws -> String {
    let encoded = AuditEncoding([purpose, service, String(sequence), hash, key])
    guard let code = keys.auditCode(of: encoded.bytes, key: key) else { throw UnknownKey(name: key) }
    return code
  }

  /// The hash of an entry as a link: of every field and the previous hash.
  func hash(of record: AuditRecord, key: String, as sequence: Int64, after previous: String) throws -> String {
    var encoding = AuditEncoding(["link", service, key])
    for text in [previous, String(sequence), record.id, String(record.at.microseconds)] { encoding.add(text) }
    for text in [record.actor, record.session?.rawValue, record.address, record.action, record.object] {
      encoding.add(text)
    }
    for text in Self.device(of: record) { encoding.add(text) }
    for change in record.changes { for text in [change.field, change.before, change.after] { encoding.add(text) } }
    guard let code = keys.auditCode(of: encoding.bytes, key: key) else { throw UnknownKey(name: key) }
    return code
  }

  private static func device(of record: AuditRecord) -> [String?] {
    let device = record.device
    return [
      record.app?.rawValue, device?.version, device?.device, device?.network?.rawValue,
      device?.battery.map { String($0) },
    ]
  }

  static func areEqual(_ one: String, _ other: String) -> Bool {
    let (one, other) = (Array(one.utf8), Array(other.utf8))
    guard one.count == other.count else { return false }
    return zip(one, other).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
  }
}
