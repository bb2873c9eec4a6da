import Persistence

enum AuctionMigrations {
  static let all = [receiptTimes, deletedBidders, watches, strikes, secondChances, obligations]

  private static let receiptTimes = Migration(
    "orders-060-receipt-times",
    why: "bids are judged by the time of their receipt, which never goes back in an auction",
    ["ALTER TABLE auctions ADD COLUMN last_bid_at BIGINT"]
  )

  private static let deletedBidders = Migration(
    "orders-061-deleted-bidders",
    why: "a user's bids are found by an index, to be listed and to be erased; every leader is a bidder",
    [
      "ALTER TABLE auction_bidders ADD COLUMN is_deleted BIGINT NOT NULL DEFAULT 0",
      "CREATE INDEX auction_bids_by_bidder ON auction_bids (bidder_id, id) WHERE bidder_id IS NOT NULL",
      "DROP INDEX auction_bidders_by_bidder",
      "CREATE INDEX auction_bidders_by_user ON auction_bidders (bidder_id, auction_id)",
      """
      INSERT INTO auction_bidders (auction_id, bidder_id, name, maximum, bid_at)
      SELECT id, leader_id, 'bidder 1', leader_maximum, closes_at FROM auctions WHERE leader_id IS NOT NULL
      ON CONFLICT (auction_id, bidder_id) DO NOTHING
      """,
    ]
  )

  private static let watches = Migration(
    "orders-062-auction-watches",
    why: "users watch auctions",
    [
      """
      CREATE TABLE auction_watches
        (user_id TEXT NOT NULL, auction_id TEXT NOT NULL REFERENCES auctions (id), at BIGINT NOT NULL,
         PRIMARY KEY (user_id, auction_id))
      """,
      "CREATE INDEX auction_watches_by_auction ON auction_watches (auction_id, user_id)",
    ]
  )

  private static let strikes = Migration(
    "orders-063-auction-strikes",
    why: "the owner sees who does not pay for won auctions and accepted offers",
    [
      """
      CREATE TABLE auction_strikes
        (id TEXT PRIMARY KEY, user_id TEXT NOT NULL, auction_id TEXT, order_id TEXT NOT NULL UNIQUE,
         at BIGINT NOT NULL, lifted_at BIGINT)
      """,
      "CREATE INDEX auction_strikes_by_user ON auction_strikes (user_id, id)",
    ]
  )

  private static let secondChances = Migration(
    "orders-064-second-chances",
    why: "each bidder of an unpaid auction is offered its listing once",
    [
      """
      CREATE TABLE second_chances
        (offer_id TEXT PRIMARY KEY, auction_id TEXT NOT NULL REFERENCES auctions (id), bidder_id TEXT, is_open BIGINT NOT NULL)
      """,
      "CREATE INDEX second_chances_by_auction ON second_chances (auction_id, bidder_id)",
      "CREATE INDEX second_chances_by_bidder ON second_chances (bidder_id) WHERE bidder_id IS NOT NULL",
    ]
  )

  private static let obligations = Migration(
    "orders-065-auction-obligations",
    why: "no one holds more in auctions than they are likely to pay for",
    [
      """
      CREATE INDEX orders_owed ON orders (user_id, status)
      WHERE status = 'pendingPayment' AND payment_status <> 'paid' AND source <> 'cart'
      """,
      "CREATE INDEX auctions_led ON auctions (leader_id, status) WHERE status IN ('scheduled', 'open')",
    ]
  )
}
