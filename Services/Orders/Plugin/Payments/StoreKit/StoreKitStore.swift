import Contracts
import Persistence

/// The transactions of Apple's customers: all signed states, and beside them each transaction's current one.
enum StoreKitStore {
  // MARK: reading

  static func find(_ id: String, in db: any Connection) throws -> StoreKitPurchase? {
    try find([id], in: db).first
  }

  static func find(_ ids: [String], in db: any Connection) throws -> [StoreKitPurchase] {
    try db.all("SELECT \(columns) FROM storekit_purchases WHERE id IN \(list: ids) ORDER BY id", decode)
  }

  static func list(of user: UserID, in db: any Connection) throws -> [StoreKitPurchase] {
    try db.all(
      "SELECT \(columns) FROM storekit_purchases WHERE user_id = \(user) ORDER BY id LIMIT 10000", decode)
  }

  /// Purchases that could not be booked, newest first.
  static func unmatched(before cursor: Cursor?, limit: Int, in db: any Connection) throws -> [StoreKitPurchase] {
    let filter = SQL.and(
      "problem IS NOT NULL",
      cursor.map { "(received_at, id) < (\($0.at), \($0.id))" })
    return try db.all(
      "SELECT \(columns) FROM storekit_purchases WHERE \(filter) ORDER BY received_at DESC, id DESC LIMIT \(limit)",
      decode)
  }

  /// The state of a subscription: the newest transaction that is neither revoked nor replaced, with the newest renewal
  /// information.
  static func standing(of original: String, in db: any Connection) throws -> ProviderSubscription {
    let known = try db.all(
      """
      SELECT \(columns) FROM storekit_purchases WHERE original_id = \(original)
      ORDER BY purchased_at DESC, signed_at DESC, id DESC LIMIT 100
      """,
      decode)
    let renewal = try db.first(
      """
      SELECT original_id, signed_at, renews, next_product, is_retrying, grace_until FROM storekit_renewals
      WHERE original_id = \(original)
      """
    ) { row in
      StoreKitRenewal(
        original: try row["original_id"], signedAt: try row["signed_at"], renews: try row["renews"],
        nextProduct: try row["next_product"], isRetrying: try row["is_retrying"], graceUntil: try row["grace_until"])
    }
    let valid = known.filter { $0.state.revocation == nil && !$0.state.isUpgraded }
    let current = valid.first { $0.state.expiresAt != nil }
    let isNewest = current.map { $0.id == known.first { !$0.state.isUpgraded }?.id } ?? false
    return ProviderSubscription(
      reference: original, isActive: current != nil,
      renews: isNewest && renewal?.renews ?? true,
      until: current?.state.expiresAt ?? known.compactMap(\.state.revocation?.at).max() ?? Timestamp(microseconds: 0),
      at: (known.map(\.state.signedAt) + [renewal?.signedAt].compactMap { $0 }).max() ?? Timestamp(microseconds: 0),
      product: (current ?? known.first)?.state.product, graceUntil: isNewest ? renewal?.graceUntil : nil,
      isRetrying: isNewest && renewal?.isRetrying ?? false, nextProduct: renewal?.nextProduct)
  }

  /// A position in the list of unmatched purchases.
  struct Cursor: PageCursor {
    var at: Timestamp
    var id: String

    init(_ purchase: StoreKitPurchase) { (at, id) = (purchase.receivedAt, purchase.id) }

    init?(cursor: String) {
      let parts = cursor.split(separator: "_", maxSplits: 1)
      guard parts.count == 2, let at = Int64(parts[0]) else { return nil }
      (self.at, id) = (Timestamp(microseconds: at), String(parts[1]))
    }

    var cursor: String { "\(at.microseconds)_\(id)" }
  }

  private static let stateColumns: SQL =
    "signed_at, revoked_at, revoked_share, expires_at, product_id, is_upgraded"
  private static let columns: SQL = """
    id, original_id, user_id, order_id, amount, currency, is_shared, purchased_at, received_at, problem, signed_at,
    revoked_at, revoked_share, expires_at, product_id, is_upgraded
    """

  private static func decode(_ row: Row) throws -> StoreKitPurchase {
    StoreKitPurchase(
      id: try row["id"], original: try row["original_id"], user: try row["user_id"], order: try row["order_id"],
      money: try row.money("amount", "currency"), isShared: try row["is_shared"],
      purchasedAt: try row["purchased_at"], receivedAt: try row["received_at"], problem: try row["problem"],
      state: try decodeState(row))
  }

  private static func decodeState(_ row: Row) throws -> StoreKitState {
    let (revokedAt, expiresAt): (Int64, Int64) = (try row["revoked_at"], try row["expires_at"])
    let share: Int64 = try row["revoked_share"]
    return StoreKitState(
      signedAt: try row["signed_at"], product: try row["product_id"],
      expiresAt: expiresAt == 0 ? nil : Timestamp(microseconds: expiresAt), isUpgraded: try row["is_upgraded"],
      revocation: revokedAt == 0 ? nil : .init(at: Timestamp(microseconds: revokedAt), share: share))
  }

  // MARK: writing

  /// Stores a state of a transaction, and returns the transaction with its current one.
  static func keep(_ new: StoreKitPurchase, in tx: Transaction) throws -> StoreKitPurchase {
    let (state, none) = (new.state, Timestamp(microseconds: 0))
    try tx.execute(
      """
      INSERT INTO storekit_states
        (transaction_id, signed_at, revoked_at, revoked_share, expires_at, product_id, is_upgraded, received_at)
      VALUES (\(new.id), \(state.signedAt), \(state.revocation?.at ?? none), \(state.revocation?.share ?? 0),
              \(state.expiresAt ?? none), \(state.product), \(state.isUpgraded), \(tx.now))
      ON CONFLICT DO NOTHING
      """
    )
    try tx.execute(
      """
      INSERT INTO storekit_purchases
        (id, original_id, amount, currency, is_shared, purchased_at, received_at, signed_at, revoked_at, revoked_share,
         expires_at, product_id, is_upgraded)
      VALUES (\(new.id), \(new.original), \(new.money?.amount), \(new.money?.currency), \(new.isShared),
              \(new.purchasedAt), \(tx.now), \(state.signedAt), 0, 0, 0, \(state.product), 0)
      ON CONFLICT DO NOTHING
      """
    )
    let current = try tx.first(
      """
      SELECT \(stateColumns) FROM storekit_states WHERE transaction_id = \(new.id)
      ORDER BY signed_at DESC, revoked_at DESC, revoked_share DESC, is_upgraded DESC, expires_at, product_id LIMIT 1
      """,
      decodeState)
    guard let current, var purchase = try find(new.id, in: tx) else { return new }
    purchase.state = current
    // Apple may sign a state without a price before one with it.
    purchase.money = purchase.money ?? new.money
    try update(purchase, in: tx)
    return purchase
  }

  static func update(_ purchase: StoreKitPurchase, in tx: Transaction) throws {
    let (state, none) = (purchase.state, Timestamp(microseconds: 0))
    try tx.execute(
      """
      UPDATE storekit_purchases SET user_id = \(purchase.user), order_id = \(purchase.order),
        amount = \(purchase.money?.amount), currency = \(purchase.money?.currency), problem = \(purchase.problem),
        signed_at = \(state.signedAt), revoked_at = \(state.revocation?.at ?? none),
        revoked_share = \(state.revocation?.share ?? 0), expires_at = \(state.expiresAt ?? none),
        product_id = \(state.product), is_upgraded = \(state.isUpgraded)
      WHERE id = \(purchase.id)
      """
    )
  }

  /// Stores renewal information, unless newer is stored.
  static func keep(_ renewal: StoreKitRenewal, in tx: Transaction) throws {
    try tx.execute(
      """
      INSERT INTO storekit_renewals (original_id, signed_at, renews, next_product, is_retrying, grace_until)
      VALUES (\(renewal.original), \(renewal.signedAt), \(renewal.renews), \(renewal.nextProduct),
              \(renewal.isRetrying), \(renewal.graceUntil))
      ON CONFLICT (original_id) DO UPDATE SET signed_at = excluded.signed_at, renews = excluded.renews,
        next_product = excluded.next_product, is_retrying = excluded.is_retrying, grace_until = excluded.grace_until
      WHERE excluded.signed_at > storekit_renewals.signed_at
      """
    )
  }

  static func erase(_ user: UserID, in tx: Transaction) throws {
    try tx.execute("UPDATE storekit_purchases SET user_id = NULL WHERE user_id = \(user)")
  }
}
