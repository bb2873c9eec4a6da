import Persistence

enum CartMigrations {
  static let all = [guests, terms]

  private static let guests = Migration(
    "orders-075-carts-of-guests",
    why: "guests have carts, which expire when they are not used",
    [
      "ALTER TABLE carts ADD COLUMN expires_at BIGINT",
      "CREATE INDEX carts_expiring ON carts (expires_at) WHERE expires_at IS NOT NULL",
    ]
  )

  private static let terms = Migration(
    "orders-077-terms-in-carts",
    why: "a license is sold with the terms and the recording that the buyer was shown",
    ["ALTER TABLE cart_items ADD COLUMN terms TEXT"]
  )
}
