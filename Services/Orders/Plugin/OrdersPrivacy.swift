import Contracts
import Persistence
import ServiceKit

/// Exports and erases personal data. The law requires that orders are retained, but not the personal data in them.
struct OrdersPrivacy: Sendable {
  let database: any Database
  let view: OrderView
  let steps: OrderSteps
  let settlement: Settlement
  let subscriptions: SubscriptionEnds
  let offers: OfferStore
  let erasures: Erasures
  let time: TimeSource

  func personalData(of user: UserID) async throws -> JSONValue {
    let now = time.now()
    return try await database.read { db in
      func json(_ value: some Encodable) throws -> JSONValue {
        try WireJSON.decode(JSONValue.self, from: WireJSON.encode(value))
      }
      let orders = try view.orders.list("user_id = \(user)", before: nil, limit: 10_000, in: db)
      let licences = try LicenceStore.list(
        "holder_id = \(user) OR seller_id = \(user)",
        before: nil,
        limit: 10_000,
        at: now,
        in: db
      )
      let made = try offers.list("buyer_id = \(user) OR seller_id = \(user)", before: nil, limit: 10_000, in: db)
      let bids = try db.all(
        "SELECT auction_id, maximum, at FROM auction_bids WHERE bidder_id = \(user) ORDER BY id LIMIT 10000"
      ) { row -> JSONValue in
        let at: Timestamp = try row["at"]
        return [
          "auction": .string(try row["auction_id"]), "maximum": .integer(try row["maximum"]),
          "at": .string(at.description),
        ]
      }
      return .object([
        ("orders", try json(view.several(orders, in: db))),
        ("licences", try json(licences.map(\.licence))),
        ("offers", .array(made.map { ["id": .string($0.id.rawValue), "amount": .string($0.amount.description)] })),
        ("bids", .array(bids)),
        ("paymentMethods", try json(PaymentMethods.list(of: user, in: db))),
        ("balances", try json(Ledger.balances(of: user, in: db))),
        ("subscriptions", try json(Plans.list("user_id = \(user)", in: db))),
      ])
    }
  }

  /// Orders, licenses, bids and the ledger are retained without personal data; whatever is still open ends.
  func forget(_ user: UserID, in tx: Transaction) throws {
    // Orders that have not shipped are canceled, and refunded to the original payment.
    let open = try view.orders.list(
      "user_id = \(user) AND (status = 'pendingPayment' OR fulfilment_status IN ('processing', 'processed'))",
      before: nil,
      limit: 10_000,
      in: tx
    )
    for order in open where order.status == .pendingPayment || order.status == .placed {
      try steps.cancel(order.id, by: OrderSteps.actor, reason: "the account was deleted", in: tx)
      try settlement.schedule(order.id, in: tx)
    }
    try tx.execute("DELETE FROM cart_items WHERE cart_id IN (SELECT id FROM carts WHERE user_id = \(user))")
    try tx.execute("DELETE FROM carts WHERE user_id = \(user)")
    try tx.execute("DELETE FROM payment_methods WHERE user_id = \(user)")
    try tx.execute("UPDATE orders SET user_id = NULL, address = NULL WHERE user_id = \(user)")
    try tx.execute(
      """
      UPDATE payments SET token = NULL, client_secret = NULL
      WHERE order_id IN (SELECT id FROM orders WHERE user_id IS NULL)
      """
    )
    try tx.execute("UPDATE order_changes SET actor = 'user' WHERE actor = \("user:\(user)")")
    try tx.execute("UPDATE licences SET holder_id = NULL WHERE holder_id = \(user)")
    try tx.execute("UPDATE licences SET seller_id = NULL WHERE seller_id = \(user)")
    try tx.execute("DELETE FROM offers WHERE buyer_id = \(user) OR seller_id = \(user)")
    try tx.execute("UPDATE auction_bids SET bidder_id = NULL WHERE bidder_id = \(user)")
    try subscriptions.end(of: user, in: tx)
    try tx.execute("UPDATE subscriptions SET user_id = NULL WHERE user_id = \(user)")
    try tx.execute("UPDATE storekit_transactions SET user_id = NULL WHERE user_id = \(user)")
    for auction in try AuctionStore.list("seller_id = \(user)", before: nil, limit: 10_000, in: tx) {
      var auction = auction
      guard let canceled = try? auction.lot.canceling(at: tx.now) else { continue }
      try AuctionStore.take(canceled, in: &auction, in: tx)
      try Claims.tell(auction.listingID, in: tx)
    }
    try tx.forget(user)
    try erasures.add(in: tx)
  }
}
