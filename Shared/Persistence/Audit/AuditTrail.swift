public import Contracts

/// The actor of an audited action; see ``Transaction/audit(_:object:by:changes:)``.
public struct AuditActor: Sendable, Equatable {
  public var name: String
  public var session: SessionID?
  public var address: String?
  /// The app whose token was used.
  public var app: ClientApp?

  /// - Parameter name: `user:<id>`, `service:<name>`, `client:<id>`, `operator` or `anonymous`.
  public init(_ name: String, session: SessionID? = nil, address: String? = nil, app: ClientApp? = nil) {
    self.name = name
    self.session = session
    self.address = address
    self.app = app
  }

  /// A user whose identity was just verified, such as at sign-in.
  public static func user(
    _ id: UserID, session: SessionID? = nil, address: String? = nil, app: ClientApp? = nil
  ) -> AuditActor {
    AuditActor("user:\(id)", session: session, address: address, app: app)
  }

  /// An operator with shell access to the host.
  public static let `operator` = AuditActor("operator")
}

extension Transaction {
  /// Records an action in the service's audit trail. The entry commits with its effect and is appended to the hash
  /// chain shortly afterward (``AuditChain/extend()``). What the app of the request reports about its device is
  /// recorded with it.
  ///
  /// Do not record personal values: use ``Contracts/AuditChange/masked(_:hadValue:hasValue:)``.
  public func audit(_ action: String, object: String, by actor: AuditActor, changes: [AuditChange] = []) throws {
    try executeLater(
      """
      INSERT INTO audit (id, at, actor, session, address, app, device, action, object, changes)
      VALUES (\(newID()), \(now), \(actor.name), \(actor.session), \(actor.address), \(actor.app), \(json: device),
              \(action), \(object), \(json: changes))
      """
    )
    wake(AuditChain.topic)
  }
}

/// Reads a service's audit trail.
public struct AuditTrail: Sendable {
  private let database: any Database

  public init(_ database: any Database) { self.database = database }

  /// Returns the entries that match the filter, newest first.
  public func search(_ filter: AuditFilter, limit: Int, cursor: String?) async throws -> Page<AuditRecord> {
    try await database.read(.snapshot) { db in try Self.search(filter, limit: limit, cursor: cursor, in: db) }
  }

  /// Returns the entries that match the filter, newest first.
  public static func search(_ filter: AuditFilter, limit: Int, cursor: String?, in db: any Connection) throws
    -> Page<AuditRecord>
  {
    let conditions = SQL.and(
      cursor.map { "id < \($0)" }, filter.actor.map { "actor = \($0)" }, filter.object.map { "object = \($0)" },
      filter.action.map { "action = \($0)" }, filter.app.map { "app = \($0)" }, filter.from.map { "at >= \($0)" },
      filter.until.map { "at < \($0)" }
    )
    let items = try db.all(
      """
      SELECT \(Self.columns) FROM audit WHERE \(conditions) ORDER BY id DESC LIMIT \(limit + 1)
      """
    ) { try Self.decode($0) }
    let page = Array(items.prefix(limit))
    return Page(items: page, nextCursor: items.count > limit ? page.last?.id : nil)
  }

  /// Counts what was done in a period.
  public func summary(from: Timestamp, until: Timestamp) async throws -> AuditSummary {
    try await database.read(.snapshot) { db in
      let period: SQL = "at >= \(from) AND at < \(until)"
      func counts(_ sql: SQL) throws -> [AuditSummary.Count] {
        try db.all(sql) { row in AuditSummary.Count(try row["name"], try row["number"]) }
      }
      let hour: SQL = "(at / 3600000000) % 24"
      var hours = Array(repeating: 0, count: 24)
      for row in try db.all(
        "SELECT \(hour) AS hour, COUNT(*) AS number FROM audit WHERE \(period) GROUP BY \(hour)",
        { row -> (hour: Int, number: Int) in (try row["hour"], try row["number"]) }
      ) where hours.indices.contains(row.hour) {
        hours[row.hour] = row.number
      }
      return AuditSummary(
        actions: try counts(
          "SELECT action AS name, COUNT(*) AS number FROM audit WHERE \(period) GROUP BY action ORDER BY action"),
        apps: try counts(
          """
          SELECT app AS name, COUNT(*) AS number FROM audit WHERE \(period) AND app IS NOT NULL
          GROUP BY app ORDER BY app
          """),
        hours: hours,
        actors: try db.count("SELECT COUNT(DISTINCT actor) FROM audit WHERE \(period)")
      )
    }
  }

  static let columns: SQL =
    "id, sequence, at, actor, session, address, app, device, action, object, changes, hash, key"

  static func decode(_ row: Row) throws -> AuditRecord {
    AuditRecord(
      id: try row["id"],
      sequence: try row["sequence"],
      at: try row["at"],
      actor: try row["actor"],
      session: try row["session"],
      address: try row["address"],
      action: try row["action"],
      object: try row["object"],
      changes: try row[json: "changes"],
      hash: try row["hash"],
      app: try row["app"],
      device: try row[json: "device"],
      key: try row["key"]
    )
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
