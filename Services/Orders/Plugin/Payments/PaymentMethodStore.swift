import Contracts
import Persistence
import ServiceKit

/// Saved payment methods; the providers' tokens are encrypted.
struct PaymentMethodStore: Sendable {
  let keys: DataKeys

  static let tokenColumn = SealedColumn("payment_methods", "token")

  func list(of user: UserID, in db: any Connection) throws -> [PaymentMethod] {
    try db.all("SELECT id, provider, label, created_at FROM payment_methods WHERE user_id = \(user) ORDER BY id") {
      row in
      PaymentMethod(
        id: try row["id"], provider: try row["provider"], label: try row["label"],
        createdAt: try row["created_at"]
      )
    }
  }

  /// The provider token of a choice: that of the saved payment method it refers to, or the one it contains.
  func token(of choice: PaymentChoice, user: UserID, in db: any Connection) throws -> ProviderToken? {
    guard let id = choice.paymentMethodID else { return choice.token }
    let sealed = try db.value(
      """
      SELECT token FROM payment_methods
      WHERE id = \(id) AND user_id = \(user) AND provider = \(choice.provider)
      """,
      as: String.self
    )
    guard let sealed else { throw Problem(.paymentMethodNotFound) }
    let bytes = try keys.open(sealed, in: Self.tokenColumn, row: id.rawValue)
    return ProviderToken(checked: String(decoding: bytes, as: UTF8.self))
  }

  func insert(_ method: PaymentMethod, token: ProviderToken, of user: UserID, in tx: Transaction) throws {
    let sealed = try keys.seal(Array(token.rawValue.utf8), in: Self.tokenColumn, row: method.id.rawValue)
    try tx.execute(
      """
      INSERT INTO payment_methods (id, user_id, provider, token, label, created_at)
      VALUES (\(method.id), \(user), \(method.provider), \(sealed), \(method.label), \(method.createdAt))
      """
    )
  }

  /// - Returns: `false` when the user has no such payment method.
  func delete(_ id: PaymentMethodID, of user: UserID, in tx: Transaction) throws -> Bool {
    try tx.execute("DELETE FROM payment_methods WHERE id = \(id) AND user_id = \(user)") > 0
  }

  func delete(of user: UserID, in tx: Transaction) throws {
    try tx.execute("DELETE FROM payment_methods WHERE user_id = \(user)")
  }
}
