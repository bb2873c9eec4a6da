import Persistence

/// The tables of refunds.
enum RefundSchema {
  static let tables: Schema = """
    -- `reference` is the provider's id of the refund or dispute, `settled` the part of a failed refund that the buyer has
    -- got another way, `loss` the part of a provider's refund that exceeded what was left of the order.
    CREATE TABLE refunds
      (id TEXT PRIMARY KEY, order_id TEXT NOT NULL REFERENCES orders (id), payment_id TEXT, surplus_payment_id TEXT,
       amount BIGINT NOT NULL, currency TEXT NOT NULL, is_surplus BIGINT NOT NULL, is_by_provider BIGINT NOT NULL,
       status TEXT NOT NULL, reason TEXT, reference TEXT, failure TEXT, settled BIGINT NOT NULL, loss BIGINT NOT NULL,
       created_at BIGINT NOT NULL);
    CREATE INDEX refunds_by_order ON refunds (order_id, id);
    CREATE UNIQUE INDEX refunds_by_provider ON refunds (payment_id, reference) WHERE is_by_provider = 1;
    CREATE INDEX refunds_by_status ON refunds (status, id);
    CREATE INDEX refunds_by_time ON refunds (created_at, id);

    -- Position -1 is shipping.
    CREATE TABLE refund_parts
      (refund_id TEXT NOT NULL REFERENCES refunds (id), position BIGINT NOT NULL, proceeds BIGINT NOT NULL,
       fee BIGINT NOT NULL, tax BIGINT NOT NULL, quantity BIGINT NOT NULL, revokes BIGINT NOT NULL,
       PRIMARY KEY (refund_id, position));

    CREATE TABLE refund_replacements
      (refund_id TEXT NOT NULL REFERENCES refunds (id), replaced_id TEXT NOT NULL REFERENCES refunds (id),
       amount BIGINT NOT NULL, PRIMARY KEY (refund_id, replaced_id));
    """
}
