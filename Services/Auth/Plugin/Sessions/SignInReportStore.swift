import Contracts
import Crypto
import Persistence
import ServiceKit

/// The tokens by which users say that a sign-in was not theirs: 256 random bits, stored as a hash.
struct SignInReportStore: Sendable {
  let keys: DataKeys

  static let addressColumn = SealedColumn("sign_in_reports", key: "hash", "address")

  /// The sign-in that a token is about.
  struct Report: Sendable {
    var user: UserID
    /// The address that the report was mailed to.
    var address: String?
    /// When the first of the sign-ins was made that are reported there and not denied.
    var earliest: Timestamp
  }

  /// Earlier reports stay valid: who signs in often must not be able to take their effect away.
  func issue(
    for user: UserID, mailedTo address: String?, signedInAt: Timestamp, seconds: Double, in tx: Transaction
  ) throws -> String {
    let token = Base64URL.encode(SecureBytes.random(32))
    let hash = Self.hash(token)
    let sealed = try address.map { try keys.seal(Array($0.utf8), in: Self.addressColumn, row: hash) }
    try tx.execute(
      """
      INSERT INTO sign_in_reports (hash, user_id, address, signed_in_at, expires_at)
      VALUES (\(hash), \(user), \(sealed), \(signedInAt), \(tx.now.advanced(bySeconds: seconds)))
      """
    )
    return token
  }

  /// Consumes a token, and with it the others that were mailed to the same address: whoever reads another mailbox of the
  /// user's, such as a former one, does not speak for these. Its effect must follow in the same transaction.
  /// - Returns: `nil` when the token is unknown, used or expired.
  func consume(_ token: String, in tx: Transaction) throws -> Report? {
    let hash = Self.hash(token)
    let user = try tx.value(
      "SELECT user_id FROM sign_in_reports WHERE hash = \(hash) AND expires_at > \(tx.now)", as: UserID.self)
    guard let user else { return nil }
    let all = try list(of: user, in: tx)
    guard let own = all.first(where: { $0.hash == hash }) else { return nil }
    let same = all.filter { $0.address == own.address }
    try delete(same, in: tx)
    let earliest = same.map(\.signedInAt).min() ?? own.signedInAt
    return Report(user: user, address: own.address, earliest: earliest)
  }

  /// When the first of the sign-ins was made that were reported to an address, or by a push only: who signs in again must
  /// not keep what they added before.
  func earliest(of user: UserID, mailedTo address: String, in tx: Transaction) throws -> Timestamp? {
    try list(of: user, in: tx).filter { $0.isOf(address) }.map(\.signedInAt).min()
  }

  /// Deletes the reports that went to an address, or by a push only.
  func delete(of user: UserID, mailedTo address: String, in tx: Transaction) throws {
    try delete(try list(of: user, in: tx).filter { $0.isOf(address) }, in: tx)
  }

  /// Deletes the reports of sign-ins at a moment or later.
  static func delete(of user: UserID, since moment: Timestamp, in tx: Transaction) throws {
    try tx.execute("DELETE FROM sign_in_reports WHERE user_id = \(user) AND signed_in_at >= \(moment)")
  }

  /// A report that is neither used nor expired.
  private struct Open {
    var hash: String
    /// `nil` when it was not mailed.
    var address: String?
    var signedInAt: Timestamp

    func isOf(_ mailbox: String) -> Bool { address == nil || address == mailbox }
  }

  private func list(of user: UserID, in tx: Transaction) throws -> [Open] {
    try tx.all(
      "SELECT hash, address, signed_in_at FROM sign_in_reports WHERE user_id = \(user) AND expires_at > \(tx.now)"
    ) { row in
      let (hash, sealed): (String, String?) = (try row["hash"], try row["address"])
      return Open(hash: hash, address: try sealed.map { try open($0, hash) }, signedInAt: try row["signed_in_at"])
    }
  }

  private func delete(_ reports: [Open], in tx: Transaction) throws {
    for report in reports { try tx.execute("DELETE FROM sign_in_reports WHERE hash = \(report.hash)") }
  }

  private func open(_ sealed: String, _ hash: String) throws -> String {
    String(decoding: try keys.open(sealed, in: Self.addressColumn, row: hash), as: UTF8.self)
  }

  static func delete(of user: UserID, in tx: Transaction) throws {
    try tx.execute("DELETE FROM sign_in_reports WHERE user_id = \(user)")
  }

  static func deleteExpired(in tx: Transaction) throws {
    try tx.execute("DELETE FROM sign_in_reports WHERE expires_at < \(tx.now)")
  }

  private static func hash(_ token: String) -> String {
    Base64URL.encode(SHA256.hash(data: Array("sign-in-report\n\(token)".utf8)))
  }
}
