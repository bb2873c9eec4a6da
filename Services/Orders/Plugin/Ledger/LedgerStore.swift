import Contracts
import Persistence
import ServiceKit

/// A double-entry ledger. A row moves an amount from one account to another, so that the ledger always sums to zero.
/// Rows are never changed or deleted; an error is corrected by another row.
enum LedgerStore {
  /// The balance is insufficient on an account that must not be negative.
  struct InsufficientFunds: Error {}

  /// Posts transfers. Transfers whose id is already posted are skipped, and so are transfers of zero.
  static func post(_ transfers: [Transfer], in tx: Transaction) throws {
    // Never in a closed period, even if this instance's clock is behind.
    let at = max(tx.now, try LedgerPeriodStore.openSince(in: tx))
    for transfer in transfers where transfer.amount.amount != 0 {
      let isNew = try tx.execute(
        """
        INSERT INTO ledger_transfers (id, debit, credit, amount, currency, code, order_id, created_at)
        VALUES (\(transfer.id), \(transfer.from.name), \(transfer.to.name), \(transfer.amount.amount),
                \(transfer.amount.currency), \(transfer.code), \(transfer.order), \(at))
        ON CONFLICT (id) DO NOTHING
        """
      )
      guard isNew == 1 else { continue }
      try change(transfer.from, by: Money(-transfer.amount.amount, transfer.amount.currency), in: tx)
      try change(transfer.to, by: transfer.amount, in: tx)
    }
  }

  private static func change(_ account: LedgerAccount, by amount: Money, in tx: Transaction) throws {
    guard account.hasBalance else { return }
    try tx.execute(
      """
      INSERT INTO ledger_balances (account, currency, posted, held) VALUES (\(account.name), \(amount.currency), 0, 0)
      ON CONFLICT DO NOTHING
      """
    )
    let changed = try tx.execute(
      """
      UPDATE ledger_balances SET posted = posted + \(amount.amount)
      WHERE account = \(account.name) AND currency = \(amount.currency)
        AND (\(account.mayBeNegative) = 1 OR posted + \(amount.amount) >= held)
      """
    )
    guard changed == 1 else { throw InsufficientFunds() }
  }

  // MARK: holds

  /// Holds an amount for a later transfer: the first of two phases. A voided one begins anew.
  ///
  /// - Parameter expiresAt: When the hold is voided, unless it has ended before; never by default.
  static func hold(
    _ id: String,
    _ amount: Money,
    on account: LedgerAccount,
    until expiresAt: Timestamp = Timestamp(microseconds: .max),
    in tx: Transaction
  )
    throws
  {
    let changed = try tx.execute(
      """
      UPDATE ledger_balances SET held = held + \(amount.amount)
      WHERE account = \(account.name) AND currency = \(amount.currency) AND posted >= held + \(amount.amount)
      """
    )
    guard changed == 1 else { throw InsufficientFunds() }
    try tx.execute(
      """
      INSERT INTO ledger_holds (id, account, amount, currency, state, expires_at)
      VALUES (\(id), \(account.name), \(amount.amount), \(amount.currency), 'open', \(expiresAt))
      ON CONFLICT (id) DO UPDATE SET amount = excluded.amount, state = 'open', expires_at = excluded.expires_at
      WHERE ledger_holds.state = 'voided'
      """
    )
  }

  /// The second phase: transfers the held amount.
  /// - Returns: `false` when the hold has already ended; then nothing is transferred.
  static func postHold(_ id: String, to account: LedgerAccount, code: String, order: OrderID?, in tx: Transaction)
    throws
    -> Bool
  {
    guard let held = try end(id, as: "posted", in: tx) else { return false }
    let transfer = Transfer(
      id: "\(id):post",
      from: held.account,
      to: account,
      amount: held.amount,
      code: code,
      order: order
    )
    try post([transfer], in: tx)
    return true
  }

  /// The alternative second phase: ends the hold without a transfer.
  static func voidHold(_ id: String, in tx: Transaction) throws { _ = try end(id, as: "voided", in: tx) }

  private static func end(_ id: String, as state: String, in tx: Transaction) throws
    -> (account: LedgerAccount, amount: Money)?
  {
    let hold = try tx.first("SELECT account, amount, currency FROM ledger_holds WHERE id = \(id) AND state = 'open'") {
      row -> (account: LedgerAccount, amount: Money) in
      (LedgerAccount(name: try row["account"]), try row.money("amount", "currency"))
    }
    guard let hold else { return nil }
    try tx.execute("UPDATE ledger_holds SET state = \(state) WHERE id = \(id)")
    try tx.execute(
      """
      UPDATE ledger_balances SET held = held - \(hold.amount.amount)
      WHERE account = \(hold.account.name) AND currency = \(hold.amount.currency)
      """
    )
    return hold
  }

  /// Voids expired holds.
  static func expireHolds(in tx: Transaction) throws {
    let ids = try tx.values(
      "SELECT id FROM ledger_holds WHERE state = 'open' AND expires_at <= \(tx.now) ORDER BY expires_at LIMIT 100",
      as: String.self
    )
    for id in ids { try voidHold(id, in: tx) }
  }

  /// The id of the hold of store credit for an order.
  static func creditHold(of order: OrderID) -> String { "\(order):credit" }

  /// The account of an open hold.
  static func account(ofHold id: String, in db: any Connection) throws -> LedgerAccount? {
    try db.value("SELECT account FROM ledger_holds WHERE id = \(id) AND state = 'open'", as: String.self)
      .map { LedgerAccount(name: $0) }
  }

  // MARK: reading

  /// The balance of an account minus its holds.
  static func available(_ account: LedgerAccount, _ currency: Currency, in db: any Connection) throws -> Int64 {
    try db.value(
      "SELECT posted - held FROM ledger_balances WHERE account = \(account.name) AND currency = \(currency)"
    ) ?? 0
  }

  /// The amount of a transfer; `nil` if it is not posted.
  static func amount(of transfer: String, in db: any Connection) throws -> Money? {
    try db.first("SELECT amount, currency FROM ledger_transfers WHERE id = \(transfer)") {
      try $0.money("amount", "currency") as Money
    }
  }

  static func balances(of user: UserID, in db: any Connection) throws -> [Balance] {
    let accounts = [LedgerAccount.earnings(user).name, LedgerAccount.credit(user).name]
    return try db.all(
      """
      SELECT account, currency, posted, held FROM ledger_balances WHERE account IN \(list: accounts)
      ORDER BY account, currency
      """
    ) { row in
      let (account, currency): (String, Currency) = (try row["account"], try row["currency"])
      let (posted, held): (Int64, Int64) = (try row["posted"], try row["held"])
      return Balance(
        kind: account == accounts[0] ? .earnings : .credit,
        available: Money(posted - held, currency),
        held: Money(held, currency)
      )
    }
  }

  /// Entries of a user's balances, newest first.
  static func entries(of user: UserID, before cursor: EntryCursor?, limit: Int, in db: any Connection) throws
    -> [BalanceEntry]
  {
    let last = cursor ?? EntryCursor(at: .max, id: "")
    let sides: [(column: SQL, sign: Int64)] = [("credit", 1), ("debit", -1)]
    var entries: [BalanceEntry] = []
    for (kind, account) in [(Balance.Kind.earnings, LedgerAccount.earnings(user)), (.credit, .credit(user))] {
      // Each side has an index in this order; together they would be read whole.
      for (column, sign) in sides {
        entries += try db.all(
          """
          SELECT id, amount, currency, code, order_id, created_at FROM ledger_transfers
          WHERE \(column) = \(account.name) AND (created_at, id) < (\(last.at), \(last.id))
          ORDER BY created_at DESC, id DESC LIMIT \(limit)
          """
        ) { row in
          BalanceEntry(
            id: try row["id"], kind: kind, amount: Money(sign * (try row["amount"] as Int64), try row["currency"]),
            code: try row["code"], orderID: try row["order_id"], at: try row["created_at"]
          )
        }
      }
    }
    return Array(entries.sorted { ($0.at, $0.id) > ($1.at, $1.id) }.prefix(limit))
  }

  /// A position in the list of entries.
  struct EntryCursor: PageCursor {
    var at: Int64
    var id: String

    init(at: Int64, id: String) {
      self.at = at
      self.id = id
    }

    init(_ entry: BalanceEntry) { self.init(at: entry.at.microseconds, id: entry.id) }

    init?(cursor: String) {
      guard let separator = cursor.firstIndex(of: "_"), let at = Int64(cursor[..<separator]) else { return nil }
      self.init(at: at, id: String(cursor[cursor.index(after: separator)...]))
    }

    var cursor: String { "\(at)_\(id)" }
  }
}
