import Contracts
import Persistence
import ServiceKit

/// Saved payment methods of users: a provider token with a label, stored encrypted.
struct PaymentMethods: Feature {
  let database: any Database
  let keys: DataKeys
  let ids: IDGenerator
  let providers: Providers

  static let tokenColumn = SealedColumn("payment_methods", "token")
  private static let maxCount = 20

  func register(in routes: inout Routes) {
    routes.on(OrdersAPI.ListPaymentMethods.self) { _, call in
      let user = try call.user.id
      return Page(items: try await database.read { try Self.list(of: user, in: $0) })
    }
    routes.on(OrdersAPI.AddPaymentMethod.self) { request, call in try await add(request, of: call.user.id, by: call) }
    routes.on(OrdersAPI.DeletePaymentMethod.self) { request, call -> Void in
      let (user, actor) = (try call.user.id, call.auditActor)
      try await database.write { tx in
        let deleted = try tx.execute("DELETE FROM payment_methods WHERE id = \(request.id) AND user_id = \(user)")
        if deleted > 0 { try tx.audit("payment-method.deleted", object: "payment-method:\(request.id)", by: actor) }
      }
    }
  }

  private func add(_ request: OrdersAPI.AddPaymentMethod, of user: UserID, by call: Call) async throws
    -> PaymentMethod
  {
    _ = try providers[request.provider]
    let id: PaymentMethodID = ids.make()
    let sealed = try keys.seal(Array(request.token.rawValue.utf8), in: Self.tokenColumn, row: id.rawValue)
    return try await database.write { tx in
      try tx.idempotent(call.idempotencyKey) {
        guard try Self.list(of: user, in: tx).count < Self.maxCount else { throw Problem(.tooManyPaymentMethods) }
        try tx.execute(
          """
          INSERT INTO payment_methods (id, user_id, provider, token, label, created_at)
          VALUES (\(id), \(user), \(request.provider), \(sealed), \(request.label), \(tx.now))
          """
        )
        try tx.audit("payment-method.added", object: "payment-method:\(id)", by: call.auditActor)
        return PaymentMethod(id: id, provider: request.provider, label: request.label.rawValue, createdAt: tx.now)
      }
    }
  }

  static func list(of user: UserID, in db: any Connection) throws -> [PaymentMethod] {
    try db.all("SELECT id, provider, label, created_at FROM payment_methods WHERE user_id = \(user) ORDER BY id") {
      row in
      PaymentMethod(
        id: try row["id"],
        provider: try row["provider"],
        label: try row["label"],
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

  // MARK: privacy

  func export(_ user: UserID, in db: any Connection) throws -> [(section: String, content: JSONValue)] {
    [("paymentMethods", try JSONValue(Self.list(of: user, in: db)))]
  }

  func erase(_ user: UserID, in tx: Transaction) throws {
    try tx.execute("DELETE FROM payment_methods WHERE user_id = \(user)")
  }
}
