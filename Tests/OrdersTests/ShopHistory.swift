import Contracts
import Persistence
import TestKit

@testable import OrdersService

/// One of each that the shop's lists show; in PostgreSQL, thousands, all of the same buyer and seller.
struct ShopHistory: Sendable {
  let owner: TestUser
  let buyer: TestUser
  let seller: TestUser
  let stranger: TestUser
  let listing: ListingID
  let offered: ListingID
  let order: OrderID
  let auction: Auction

  static func make(_ host: TestPlatform) async throws -> ShopHistory {
    let (owner, buyer) = (try await host.owner(), try await host.person())
    let seller = try await Seller.make(host, sales: 0)
    let order = try await seller.sell(to: buyer)
    _ = try await owner.client.send(
      OrdersAPI.RefundOrder(id: order.id, amount: Money(100, .usd)), idempotencyKey: "refund")
    _ = try await seller.request(1500)
    let offer = try await host.offer(9000, buyer, host.beat(seller.user), .exclusive)
    let auction = try await host.auction(host.beat(seller.user), seller.user, start: 1000)
    try await buyer.bid(2000, auction)
    _ = try await buyer.client.send(OrdersAPI.WatchAuction(id: auction.id))
    let ids = host.ids
    try await host.database(of: OrdersAPI.self).write { tx in
      try StrikeStore.insert(ids.make(), of: buyer.id, auction.id, order.id, in: tx)
    }
    let license = try await host.licenses(of: buyer).first
    return ShopHistory(
      owner: owner, buyer: buyer, seller: seller.user, stranger: try await host.person(),
      listing: license?.listingID ?? offer.listingID, offered: offer.listingID, order: order.id, auction: auction)
  }

  /// Copies each row two thousand times, in PostgreSQL. Sealed columns are left out, because they can be opened in their
  /// own row only.
  static func copy(in tx: Transaction) throws {
    try copy("orders", "'id', \(id("o.id")), 'cart_id', NULL::text, 'address', NULL::text", in: tx)
    try copy("order_lines", "'order_id', \(id("o.order_id"))", in: tx)
    try copy(
      "payments",
      """
      'id', \(id("o.id")), 'order_id', \(id("o.order_id")), 'reference', o.reference || n, 'token', NULL::text,
      'client_secret', NULL::text
      """, in: tx)
    try copy("licenses", "'id', \(id("o.id")), 'order_id', \(id("o.order_id"))", in: tx)
    try copy("sales", "'order_id', \(id("o.order_id"))", in: tx)
    try copy("refunds", "'id', \(id("o.id")), 'order_id', \(id("o.order_id"))", in: tx)
    try copy("refund_parts", "'refund_id', \(id("o.refund_id"))", in: tx)
    try copy("ledger_transfers", "'id', o.id || ':' || n", in: tx)
    try copy("payouts", "'id', \(id("o.id")), 'account', NULL::text", in: tx)
    try copy("offers", "'id', \(id("o.id"))", in: tx)
    try copy("auctions", "'id', \(id("o.id")), 'listing_id', \(id("o.listing_id"))", in: tx)
    try copy("auction_bidders", "'auction_id', \(id("o.auction_id"))", in: tx)
    try copy("auction_bids", "'id', \(id("o.id"))", in: tx)
    try copy("auction_watches", "'auction_id', \(id("o.auction_id"))", in: tx)
    try copy("auction_strikes", "'id', \(id("o.id")), 'order_id', \(id("o.order_id"))", in: tx)
  }

  /// - Parameter changes: What differs in a copy of the row `o` with the number `n`, as names and values.
  private static func copy(_ table: StaticString, _ changes: SQL, in tx: Transaction) throws {
    try tx.execute(
      """
      INSERT INTO \(raw: table)
      SELECT c.* FROM \(raw: table) o, generate_series(1, 2000) n,
        jsonb_populate_record(o, jsonb_build_object(\(changes))) c
      """
    )
    try tx.execute("ANALYZE \(raw: table)")
  }

  /// The id of a copy.
  private static func id(_ column: StaticString) -> SQL {
    "left(\(raw: column), 24) || lpad(to_hex(n), 12, '0')"
  }
}
