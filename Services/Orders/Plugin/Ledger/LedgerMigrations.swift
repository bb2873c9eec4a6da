import Persistence
import ServiceKit

enum LedgerMigrations {
  static let all = [periods, lists]

  private static let periods = Migration(
    "orders-080-ledger-periods",
    why: "the proof of the ledger sums what is new, not its history",
    [
      // A period has the transfers from the end of the one before up to its own, which is not part of it.
      "CREATE TABLE ledger_periods (number BIGINT PRIMARY KEY, ends_at BIGINT NOT NULL, closed_at BIGINT NOT NULL)",
      // The sums of all transfers up to the end of a period, for the accounts that have some in it.
      """
      CREATE TABLE ledger_period_balances
        (account TEXT NOT NULL, currency TEXT NOT NULL, period BIGINT NOT NULL REFERENCES ledger_periods (number),
         posted BIGINT NOT NULL, PRIMARY KEY (account, currency, period))
      """,
      "CREATE INDEX ledger_period_balances_by_period ON ledger_period_balances (period, account, currency)",
      """
      CREATE TABLE ledger_proofs
        (started_at BIGINT PRIMARY KEY, ended_at BIGINT, discrepancies BIGINT NOT NULL, places TEXT NOT NULL)
      """,
      "CREATE INDEX ledger_transfers_by_time ON ledger_transfers (created_at)",
      "CREATE INDEX ledger_balances_held ON ledger_balances (account, currency) WHERE held <> 0",
      "CREATE INDEX ledger_holds_open_by_account ON ledger_holds (account, currency) WHERE state = 'open'",
      "CREATE INDEX orders_by_placement ON orders (placed_at) WHERE placed_at IS NOT NULL",
    ]
  )

  private static let lists = Migration(
    "orders-081-lists",
    why: "each list has an index in its order",
    [
      "CREATE INDEX orders_by_status_and_fulfillment ON orders (status, fulfillment_status, id)",
      "CREATE INDEX offers_by_buyer_and_listing ON offers (buyer_id, listing_id, id)",
      "CREATE INDEX offers_by_seller_and_listing ON offers (seller_id, listing_id, id)",
      "CREATE INDEX licenses_by_holder_and_listing ON licenses (holder_id, listing_id, id)",
      // By equality with a status, SQLite would use `auctions_by_status` and sort all that are open.
      """
      CREATE INDEX auctions_current ON auctions (id)
      WHERE status NOT IN ('sold', 'reserveNotMet', 'noBids', 'canceled', 'unpaid')
      """,
    ]
  )
}
