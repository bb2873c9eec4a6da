import Persistence
import ServiceKit

enum RefundMigrations {
  static let all = [lines, refunds, known, byApple]

  private static let lines = Migration(
    "orders-030-lines-returned",
    why: "lines are fulfilled, canceled and refunded one by one",
    [
      "ALTER TABLE order_lines ADD COLUMN fulfillment_status TEXT",
      "ALTER TABLE order_lines ADD COLUMN fee BIGINT NOT NULL DEFAULT 0",
      "ALTER TABLE order_lines ADD COLUMN returned_proceeds BIGINT NOT NULL DEFAULT 0",
      "ALTER TABLE order_lines ADD COLUMN returned_fee BIGINT NOT NULL DEFAULT 0",
      "ALTER TABLE order_lines ADD COLUMN returned_tax BIGINT NOT NULL DEFAULT 0",
      "ALTER TABLE order_lines ADD COLUMN returned_quantity BIGINT NOT NULL DEFAULT 0",
      "ALTER TABLE order_lines ADD COLUMN restocked BIGINT NOT NULL DEFAULT 0",
      "ALTER TABLE orders ADD COLUMN returned_shipping BIGINT NOT NULL DEFAULT 0",
      "ALTER TABLE orders ADD COLUMN returned_shipping_tax BIGINT NOT NULL DEFAULT 0",
      // What is taken back of the order's lines and shipping.
      "ALTER TABLE orders ADD COLUMN returned BIGINT NOT NULL DEFAULT 0",
    ]
  )

  private static let refunds = Migration(
    "orders-031-refunds-of-lines",
    why: "refunds name lines, are pending until the provider reports, and can be made again",
    [
      // The provider's id of the refund or dispute.
      "ALTER TABLE refunds ADD COLUMN reference TEXT",
      "ALTER TABLE refunds ADD COLUMN failure TEXT",
      "ALTER TABLE refunds ADD COLUMN surplus_payment_id TEXT",
      "ALTER TABLE refunds ADD COLUMN is_by_provider BIGINT NOT NULL DEFAULT 0",
      // The part of a failed refund that the buyer has got another way.
      "ALTER TABLE refunds ADD COLUMN settled BIGINT NOT NULL DEFAULT 0",
      // The part of a provider's refund that exceeded what was left of the order.
      "ALTER TABLE refunds ADD COLUMN loss BIGINT NOT NULL DEFAULT 0",
      "CREATE UNIQUE INDEX refunds_by_provider ON refunds (payment_id, reference) WHERE is_by_provider = 1",
      "CREATE INDEX refunds_by_status ON refunds (status, id)",
      // Position -1 is shipping.
      """
      CREATE TABLE refund_parts
        (refund_id TEXT NOT NULL REFERENCES refunds (id), position BIGINT NOT NULL, proceeds BIGINT NOT NULL,
         fee BIGINT NOT NULL, tax BIGINT NOT NULL, quantity BIGINT NOT NULL, revokes BIGINT NOT NULL,
         PRIMARY KEY (refund_id, position))
      """,
      """
      CREATE TABLE refund_replacements
        (refund_id TEXT NOT NULL REFERENCES refunds (id), replaced_id TEXT NOT NULL REFERENCES refunds (id),
         amount BIGINT NOT NULL, PRIMARY KEY (refund_id, replaced_id))
      """,
    ]
  )

  /// What is known of orders that were placed before: the fee of a license from the ledger, where the transfers of a sale
  /// are numbered (tax, shipping, then each line's), and amounts refunded without lines as taken from the first lines.
  private static let known = Migration(
    "orders-032-lines-of-placed-orders",
    why: "orders placed before can be refunded by line",
    [
      """
      UPDATE order_lines SET fulfillment_status =
        (SELECT CASE WHEN o.fulfillment_status IS NULL OR o.fulfillment_status = 'canceled' THEN o.fulfillment_status
                     WHEN order_lines.product_id IS NULL THEN 'delivered' ELSE o.fulfillment_status END
         FROM orders o WHERE o.id = order_lines.order_id)
      """,
      """
      UPDATE order_lines SET fee = COALESCE(
        (SELECT t.amount FROM ledger_transfers t WHERE t.code = 'sale' AND t.id = order_lines.order_id || ':sale:' ||
           (SELECT 2 + COALESCE(SUM(CASE WHEN p.listing_id IS NULL OR p.seller_id IS NULL THEN 1 ELSE 2 END), 0)
            FROM order_lines p WHERE p.order_id = order_lines.order_id AND p.position < order_lines.position)), 0)
      WHERE listing_id IS NOT NULL
      """,
      "UPDATE orders SET returned = refunded WHERE placed_at IS NOT NULL",
      """
      UPDATE order_lines SET returned_proceeds =
        (SELECT CASE WHEN o.returned <= b.before THEN 0
                     WHEN o.returned - b.before < order_lines.gross THEN o.returned - b.before
                     ELSE order_lines.gross END
         FROM orders o, (SELECT COALESCE(SUM(p.gross), 0) AS before FROM order_lines p
                         WHERE p.order_id = order_lines.order_id AND p.position < order_lines.position) b
         WHERE o.id = order_lines.order_id)
      WHERE gross > 0 AND order_id IN (SELECT id FROM orders WHERE returned > 0)
      """,
      """
      UPDATE order_lines SET returned_quantity = CASE WHEN returned_proceeds = gross THEN quantity ELSE 0 END,
        returned_fee = fee * returned_proceeds / gross, returned_tax = tax * returned_proceeds / gross,
        returned_proceeds = returned_proceeds - fee * returned_proceeds / gross - tax * returned_proceeds / gross
      WHERE returned_proceeds > 0
      """,
      """
      UPDATE orders SET returned_shipping = returned -
        (SELECT COALESCE(SUM(l.returned_proceeds + l.returned_fee + l.returned_tax), 0)
         FROM order_lines l WHERE l.order_id = orders.id)
      WHERE returned > 0
      """,
      """
      UPDATE orders SET returned_shipping_tax = returned_shipping - shipping, returned_shipping = shipping
      WHERE returned_shipping > shipping
      """,
      // Refunds that had failed took nothing from anyone: the order's money is still with its recipients.
      """
      UPDATE refunds SET status = 'replaced', settled = amount WHERE status = 'failed' AND is_surplus = 0
        AND order_id IN (SELECT id FROM orders WHERE placed_at IS NOT NULL)
      """,
    ]
  )

  /// Refunds of StoreKit's payments were made by Apple. The order of one that Apple has reversed counts as paid again;
  /// of several, the last one counts.
  private static let byApple = Migration(
    "orders-033-refunds-by-apple",
    why: "Apple repeats and reverses refunds that were booked before",
    [
      """
      UPDATE refunds SET is_by_provider = 1
      WHERE status = 'succeeded' AND payment_id IN (SELECT id FROM payments WHERE provider = 'storekit')
      """,
      """
      UPDATE refunds SET status = 'reversed'
      WHERE is_by_provider = 1
        AND (amount > (SELECT o.refunded FROM orders o WHERE o.id = refunds.order_id)
             OR EXISTS (SELECT 1 FROM refunds n
                        WHERE n.order_id = refunds.order_id AND n.is_by_provider = 1 AND n.id > refunds.id))
      """,
      """
      INSERT INTO refund_parts (refund_id, position, proceeds, fee, tax, quantity, revokes)
      SELECT r.id, l.position, l.returned_proceeds, l.returned_fee, l.returned_tax, l.returned_quantity,
        CASE WHEN EXISTS (SELECT 1 FROM licenses x
                          WHERE x.order_id = l.order_id AND x.listing_id = l.listing_id AND x.kind = l.license
                            AND x.status = 'revoked') THEN 1 ELSE 0 END
      FROM refunds r JOIN order_lines l ON l.order_id = r.order_id
      WHERE r.is_by_provider = 1 AND r.status = 'succeeded' AND r.amount =
        (SELECT SUM(p.returned_proceeds + p.returned_fee + p.returned_tax) FROM order_lines p
         WHERE p.order_id = r.order_id)
      """,
      // As StoreKitTransitions names it.
      """
      UPDATE refunds SET reference =
        (SELECT p.reference || '@' || CAST(COALESCE(t.revoked_at, 0) AS TEXT)
         FROM payments p LEFT JOIN storekit_transactions t ON t.id = p.reference WHERE p.id = refunds.payment_id)
      WHERE is_by_provider = 1 AND status = 'succeeded'
      """,
    ]
  )
}
