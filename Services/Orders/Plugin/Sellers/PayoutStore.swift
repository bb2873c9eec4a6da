import Contracts
import Persistence
import ServiceKit

/// A pay-out as stored.
struct StoredPayout: Sendable, Equatable {
  var id: PayoutID
  /// `nil` for a deleted account.
  var sellerID: UserID?
  var amount: Money
  var status = Payout.Status.requested
  /// The account at the time of the pay-out's request.
  var account: BankAccount?
  var reference: String?
  var reason: String?
  var createdAt: Timestamp
  var endedAt: Timestamp?

  /// The id of the hold in the ledger.
  var hold: String { "payout:\(id)" }
  var object: String { "payout:\(id)" }

  func response(shortfall: Int64? = nil) -> Payout {
    Payout(
      id: id, sellerID: sellerID, amount: amount, status: status, account: account?.masked, reference: reference,
      reason: reason, shortfall: shortfall.map { Money($0, amount.currency) }, createdAt: createdAt, endedAt: endedAt
    )
  }
}

/// Pay-outs; their bank accounts are encrypted.
struct PayoutStore: Sendable {
  let keys: DataKeys

  static let accountColumn = SealedColumn("payouts", "account")

  // MARK: reading

  func find(_ id: PayoutID, in db: any Connection) throws -> StoredPayout? {
    try list("id = \(id)", before: nil, limit: 1, in: db).first
  }

  /// Pay-outs that match the condition, newest first.
  func list(_ condition: SQL, before cursor: PayoutID?, limit: Int, in db: any Connection) throws -> [StoredPayout] {
    let filter = SQL.and(condition, cursor.map { "id < \($0)" })
    return try db.all(
      """
      SELECT id, seller_id, amount, currency, status, account, reference, reason, created_at, ended_at FROM payouts
      WHERE \(filter) ORDER BY id DESC LIMIT \(limit)
      """
    ) { row in
      let (id, sealed): (PayoutID, String?) = (try row["id"], try row["account"])
      return StoredPayout(
        id: id, sellerID: try row["seller_id"], amount: try row.money("amount", "currency"),
        status: try row["status"],
        account: try sealed.map {
          try WireJSON.decode(BankAccount.self, from: keys.open($0, in: Self.accountColumn, row: id.rawValue))
        },
        reference: try row["reference"], reason: try row["reason"], createdAt: try row["created_at"],
        endedAt: try row["ended_at"]
      )
    }
  }

  /// The amounts by which the held amounts of the requested pay-outs' accounts exceed what is left of them.
  static func shortfalls(of payouts: [StoredPayout], in db: any Connection) throws -> [PayoutID: Int64] {
    let requested = payouts.filter { $0.status == .requested }
    let rows = try db.all(
      """
      SELECT h.id, b.held - b.posted AS missing, h.amount FROM ledger_holds h
      JOIN ledger_balances b ON b.account = h.account AND b.currency = h.currency
      WHERE h.id IN \(list: requested.map(\.hold)) AND b.posted < b.held
      """
    ) { row -> (String, Int64) in (try row["id"], min(try row["missing"], try row["amount"])) }
    let missing = Dictionary(uniqueKeysWithValues: rows)
    return Dictionary(
      uniqueKeysWithValues: requested.compactMap { payout in missing[payout.hold].map { (payout.id, $0) } })
  }

  // MARK: writing

  func insert(_ payout: StoredPayout, in tx: Transaction) throws {
    let sealed = try payout.account.map {
      try keys.seal(WireJSON.encode($0), in: Self.accountColumn, row: payout.id.rawValue)
    }
    try tx.execute(
      """
      INSERT INTO payouts (id, seller_id, amount, currency, status, account, created_at)
      VALUES (\(payout.id), \(payout.sellerID), \(payout.amount.amount), \(payout.amount.currency), \(payout.status),
              \(sealed), \(payout.createdAt))
      """
    )
  }

  /// Stores the end of a pay-out. That of a deleted account no longer needs the bank account.
  static func end(_ payout: StoredPayout, in tx: Transaction) throws {
    try tx.execute(
      """
      UPDATE payouts SET status = \(payout.status), reference = \(payout.reference), reason = \(payout.reason),
        ended_at = \(payout.endedAt), account = CASE WHEN seller_id IS NULL THEN NULL ELSE account END
      WHERE id = \(payout.id)
      """
    )
  }

  /// Removes a user from pay-outs; the bank account stays only where it is needed to pay.
  static func erase(_ user: UserID, in tx: Transaction) throws {
    try tx.execute("UPDATE payouts SET account = NULL WHERE seller_id = \(user) AND status <> 'requested'")
    try tx.execute("UPDATE payouts SET seller_id = NULL WHERE seller_id = \(user)")
  }
}
