import Persistence

/// The tables of auctions.
enum AuctionSchema {
  static let tables: Schema = """
    CREATE TABLE auctions
      (id TEXT PRIMARY KEY, listing_id TEXT NOT NULL, seller_id TEXT NOT NULL, status TEXT NOT NULL,
       currency TEXT NOT NULL, start_price BIGINT NOT NULL, reserve BIGINT, buy_now BIGINT, opens_at BIGINT NOT NULL,
       closes_at BIGINT NOT NULL, original_closes_at BIGINT NOT NULL, extension_count BIGINT NOT NULL, leader_id TEXT,
       leader_maximum BIGINT, price BIGINT, bid_count BIGINT NOT NULL, last_bid_at BIGINT, sequence BIGINT NOT NULL,
       listing TEXT NOT NULL, order_id TEXT);
    CREATE UNIQUE INDEX auctions_running ON auctions (listing_id) WHERE status IN ('scheduled', 'open');
    CREATE INDEX auctions_by_listing ON auctions (listing_id, id);
    CREATE INDEX auctions_by_seller ON auctions (seller_id, id);
    CREATE INDEX auctions_by_status ON auctions (status, id);
    CREATE INDEX auctions_led ON auctions (leader_id, status) WHERE status IN ('scheduled', 'open');
    -- By equality with a status, SQLite would use `auctions_by_status` and sort all that are open.
    CREATE INDEX auctions_current ON auctions (id)
      WHERE status NOT IN ('sold', 'reserveNotMet', 'noBids', 'canceled', 'unpaid');

    CREATE TABLE auction_bids
      (id TEXT PRIMARY KEY, auction_id TEXT NOT NULL REFERENCES auctions (id), bidder_id TEXT,
       maximum BIGINT NOT NULL, price BIGINT NOT NULL, at BIGINT NOT NULL);
    CREATE INDEX auction_bids_by_auction ON auction_bids (auction_id, id);
    CREATE INDEX auction_bids_by_bidder ON auction_bids (bidder_id, id) WHERE bidder_id IS NOT NULL;

    CREATE TABLE auction_bidders
      (auction_id TEXT NOT NULL REFERENCES auctions (id), bidder_id TEXT NOT NULL, name TEXT NOT NULL,
       maximum BIGINT NOT NULL, bid_at BIGINT NOT NULL, is_deleted BIGINT NOT NULL DEFAULT 0,
       PRIMARY KEY (auction_id, bidder_id));
    CREATE INDEX auction_bidders_by_user ON auction_bidders (bidder_id, auction_id);

    CREATE TABLE auction_events
      (auction_id TEXT NOT NULL REFERENCES auctions (id), sequence BIGINT NOT NULL, event TEXT NOT NULL,
       PRIMARY KEY (auction_id, sequence));

    CREATE TABLE auction_watches
      (user_id TEXT NOT NULL, auction_id TEXT NOT NULL REFERENCES auctions (id), at BIGINT NOT NULL,
       PRIMARY KEY (user_id, auction_id));
    CREATE INDEX auction_watches_by_auction ON auction_watches (auction_id, user_id);

    CREATE TABLE auction_strikes
      (id TEXT PRIMARY KEY, user_id TEXT NOT NULL, auction_id TEXT, order_id TEXT NOT NULL UNIQUE, at BIGINT NOT NULL,
       lifted_at BIGINT);
    CREATE INDEX auction_strikes_by_user ON auction_strikes (user_id, id);

    CREATE TABLE second_chances
      (offer_id TEXT PRIMARY KEY, auction_id TEXT NOT NULL REFERENCES auctions (id), bidder_id TEXT,
       is_open BIGINT NOT NULL);
    CREATE INDEX second_chances_by_auction ON second_chances (auction_id, bidder_id);
    CREATE INDEX second_chances_by_bidder ON second_chances (bidder_id) WHERE bidder_id IS NOT NULL;
    """
}
