import Contracts
import Crypto
import Persistence
import ServiceKit

/// A sign-in that waits for its second factor.
struct PendingLogIn: Sendable {
  var hash: String
  var userID: UserID
  var app: ClientApp
  /// The methods that have been proved.
  var methods: [AuthenticationMethod]
  /// The guest who signs in.
  var guest: UserID?
  /// The hash of the device, if it has signed in to the account before.
  var device: String?
  /// The identity that is linked to the account once the sign-in is complete.
  var identity: ProviderIdentity?
}

/// Tickets of sign-ins that wait for a second factor: 256 random bits, stored as a hash, used once.
enum FactorTicketStore {
  static let lifetime = 300.0
  /// Wrong codes after which a ticket ends; the user then begins again.
  private static let maxFailures = 5

  /// - Parameter device: The hash of the device, if it has signed in to the account before.
  /// - Returns: The ticket, which is not stored.
  static func issue(
    _ pending: (user: UserID, app: ClientApp, methods: [AuthenticationMethod], guest: UserID?), device: String?,
    linking identity: ProviderIdentity? = nil, in tx: Transaction
  ) throws -> String {
    let ticket = Base64URL.encode(SecureBytes.random(32))
    try tx.execute(
      """
      INSERT INTO factor_tickets
        (hash, user_id, app, methods, guest_id, device, issuer, subject, failures, expires_at)
      VALUES (\(hash(ticket)), \(pending.user), \(pending.app), \(words: pending.methods), \(pending.guest), \(device),
              \(identity?.issuer), \(identity?.subject), 0, \(tx.now.advanced(bySeconds: lifetime)))
      """
    )
    return ticket
  }

  static func find(_ ticket: String, in tx: Transaction) throws -> PendingLogIn? {
    let hash = hash(ticket)
    return try tx.first(
      """
      SELECT user_id, app, methods, guest_id, device, issuer, subject FROM factor_tickets
      WHERE hash = \(hash) AND expires_at > \(tx.now)
      """
    ) { row in
      let (issuer, subject): (String?, String?) = (try row["issuer"], try row["subject"])
      let identity = issuer.flatMap { issuer in subject.map { ProviderIdentity(issuer: issuer, subject: $0) } }
      return PendingLogIn(
        hash: hash, userID: try row["user_id"], app: try row["app"], methods: try row[words: "methods"],
        guest: try row["guest_id"], device: try row["device"], identity: identity
      )
    }
  }

  /// - Returns: `false` when the ticket has been used meanwhile.
  static func consume(_ pending: PendingLogIn, in tx: Transaction) throws -> Bool {
    try tx.execute("DELETE FROM factor_tickets WHERE hash = \(pending.hash)") == 1
  }

  static func noteFailure(of pending: PendingLogIn, in tx: Transaction) throws {
    try tx.execute("UPDATE factor_tickets SET failures = failures + 1 WHERE hash = \(pending.hash)")
    try tx.execute("DELETE FROM factor_tickets WHERE hash = \(pending.hash) AND failures >= \(maxFailures)")
  }

  static func delete(of user: UserID, in tx: Transaction) throws {
    try tx.execute("DELETE FROM factor_tickets WHERE user_id = \(user)")
  }

  static func deleteExpired(in tx: Transaction) throws {
    try tx.execute("DELETE FROM factor_tickets WHERE expires_at < \(tx.now)")
  }

  private static func hash(_ ticket: String) -> String {
    Base64URL.encode(SHA256.hash(data: Array("factor-ticket\n\(ticket)".utf8)))
  }
}
