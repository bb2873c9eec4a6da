/// A right that one process at a time has in a database, such as that to do what is done once per platform. It must be
/// renewed, passes to another process when it was not, and is handed over at once when its holder stops.
///
/// Whether it has expired is decided by the database's clock alone. A holder that was paused for longer than its lease
/// may not know that it has lost it; each change of the holder therefore increases the lease's token, and a transaction
/// that requires an older token fails (a fencing token: Kleppmann, Designing Data-Intensive Applications, chapter 8).
public struct Lease: Sendable {
  /// The lease of a holder, from its acquisition until another holder's.
  public struct Grant: Sendable, Hashable {
    public let name: String
    /// Greater than that of every earlier grant of the same lease.
    public let token: Int64
    /// The database of the lease: its wake-ups, which everything that wraps the database passes on.
    let database: ObjectIdentifier
  }

  /// Required by every writing transaction of the task in the lease's PostgreSQL database.
  @TaskLocal public static var required: Grant?

  /// Woken when a lease is released.
  public static let topic = "leases"

  private let name: String
  private let holder: String
  private let seconds: Double
  private let database: any Database

  /// - Parameters:
  ///   - name: Of the lease in the database.
  ///   - holder: Of this process and of no other, not even of its next start.
  ///   - seconds: How long it lasts without a renewal.
  public init(_ name: String, holder: String, seconds: Double, in database: any Database) {
    (self.name, self.holder, self.seconds, self.database) = (name, holder, seconds, database)
  }

  /// Acquires the lease, or renews it.
  /// - Returns: `nil` while another process holds it.
  public func take() async throws -> Grant? {
    try await write { tx in
      let expiry: SQL = "\(tx.clock) + \(Int64(seconds * 1_000_000))"
      let known = try tx.first(
        """
        SELECT holder, token, CASE WHEN expires_at <= \(tx.clock) THEN 1 ELSE 0 END AS is_free
        FROM leases WHERE name = \(name)
        """
      ) { row -> (holder: String, token: Int64, isFree: Bool) in
        (try row["holder"], try row["token"], try row["is_free"])
      }
      guard let known else {
        let count = try tx.execute(
          """
          INSERT INTO leases (name, holder, token, expires_at) VALUES (\(name), \(holder), 1, \(expiry))
          ON CONFLICT DO NOTHING
          """)
        return count == 1 ? grant(1) : nil
      }
      guard known.holder == holder || known.isFree else { return nil }
      let token = known.holder == holder ? known.token : known.token + 1
      let count = try tx.execute(
        """
        UPDATE leases SET holder = \(holder), token = \(token), expires_at = \(expiry)
        WHERE name = \(name) AND holder = \(known.holder) AND token = \(known.token)
          AND (holder = \(holder) OR expires_at <= \(tx.clock))
        """)
      return count == 1 ? grant(token) : nil
    }
  }

  /// A lease does not wait behind background work, which may take longer than the lease.
  private func write<Value: Sendable>(
    _ body: @escaping @Sendable (Transaction) throws -> Value
  ) async throws -> Value {
    try await Workload.shared { try await database.write(.readCommitted, body) }
  }

  private func grant(_ token: Int64) -> Grant {
    Grant(name: name, token: token, database: ObjectIdentifier(database.wakeUps))
  }

  /// Lets another process acquire the lease at once; without effect for a process that does not hold it.
  public func release() async throws {
    try await write { tx in
      guard try tx.execute("UPDATE leases SET expires_at = 0 WHERE name = \(name) AND holder = \(holder)") == 1 else {
        return
      }
      tx.wake(Self.topic)
    }
  }
}

extension Connection {
  /// - Throws: ``DatabaseError`` `leaseLost` when a lease has passed to another holder. Until the end of the transaction
  ///   it cannot.
  public func require(_ grant: Lease.Grant) throws {
    // The token is part of a key, so that this lock keeps away another holder, but not a renewal.
    let lock: SQL = dialect == .postgresql ? "FOR KEY SHARE" : ""
    let token: Int64? = try value("SELECT token FROM leases WHERE name = \(grant.name) \(lock)")
    guard token == grant.token else {
      throw DatabaseError(.leaseLost, "the lease \(grant.name) has passed to another process")
    }
  }
}
