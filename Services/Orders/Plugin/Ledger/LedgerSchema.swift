import Persistence

/// The tables of the ledger.
enum LedgerSchema {
  static let tables: Schema = """
    CREATE TABLE ledger_transfers
      (id TEXT PRIMARY KEY, debit TEXT NOT NULL, credit TEXT NOT NULL, amount BIGINT NOT NULL CHECK (amount > 0),
       currency TEXT NOT NULL, code TEXT NOT NULL, order_id TEXT, created_at BIGINT NOT NULL);
    CREATE INDEX ledger_transfers_by_debit ON ledger_transfers (debit, created_at, id);
    CREATE INDEX ledger_transfers_by_credit ON ledger_transfers (credit, created_at, id);
    CREATE INDEX ledger_transfers_by_order ON ledger_transfers (order_id);
    CREATE INDEX ledger_transfers_by_time ON ledger_transfers (created_at);

    CREATE TABLE ledger_balances
      (account TEXT NOT NULL, currency TEXT NOT NULL, posted BIGINT NOT NULL, held BIGINT NOT NULL CHECK (held >= 0),
       PRIMARY KEY (account, currency));
    CREATE INDEX ledger_balances_held ON ledger_balances (account, currency) WHERE held <> 0;

    CREATE TABLE ledger_holds
      (id TEXT PRIMARY KEY, account TEXT NOT NULL, amount BIGINT NOT NULL CHECK (amount > 0), currency TEXT NOT NULL,
       state TEXT NOT NULL, expires_at BIGINT NOT NULL);
    CREATE INDEX ledger_holds_by_account ON ledger_holds (account, state);
    CREATE INDEX ledger_holds_open ON ledger_holds (expires_at) WHERE state = 'open';
    CREATE INDEX ledger_holds_open_by_account ON ledger_holds (account, currency) WHERE state = 'open';

    -- A period has the transfers from the end of the one before up to its own, which is not part of it.
    CREATE TABLE ledger_periods (number BIGINT PRIMARY KEY, ends_at BIGINT NOT NULL, closed_at BIGINT NOT NULL);

    -- The sums of all transfers up to the end of a period, for the accounts that have some in it.
    CREATE TABLE ledger_period_balances
      (account TEXT NOT NULL, currency TEXT NOT NULL, period BIGINT NOT NULL REFERENCES ledger_periods (number),
       posted BIGINT NOT NULL, PRIMARY KEY (account, currency, period));
    CREATE INDEX ledger_period_balances_by_period ON ledger_period_balances (period, account, currency);

    CREATE TABLE ledger_proofs
      (started_at BIGINT PRIMARY KEY, ended_at BIGINT, discrepancies BIGINT NOT NULL, places TEXT NOT NULL);
    """

  /// Nothing in the ledger is changed or removed.
  static let fixed =
    Schema.on(
      .sqlite,
      """
      CREATE TRIGGER ledger_transfers_stay BEFORE UPDATE ON ledger_transfers
      BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
      CREATE TRIGGER ledger_transfers_are_kept BEFORE DELETE ON ledger_transfers
      BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
      """)
    + Schema.on(
      .postgresql,
      """
      CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql
      AS 'BEGIN RAISE EXCEPTION ''the ledger is append-only''; END';
      CREATE TRIGGER ledger_transfers_stay BEFORE UPDATE OR DELETE ON ledger_transfers
      FOR EACH ROW EXECUTE FUNCTION refuse_change();
      """)
}
