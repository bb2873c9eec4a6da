import Contracts
import Persistence
import ServiceKit

/// Saved payment methods of users: a provider token with a label.
struct PaymentMethods: Feature {
  let database: any Database
  let store: PaymentMethodStore
  let ids: IDGenerator
  let providers: Providers

  private static let maxCount = 20

  init(_ core: OrdersCore) {
    (database, store, ids, providers) = (core.database, core.methods, core.ids, core.providers)
  }

  func register(in routes: inout Routes) {
    routes.on(OrdersAPI.ListPaymentMethods.self) { _, call in
      let user = try call.user.id
      return Page(items: try await database.read { try store.list(of: user, in: $0) })
    }
    routes.on(OrdersAPI.AddPaymentMethod.self) { request, call in try await add(request, of: call.user.id, by: call) }
    routes.on(OrdersAPI.DeletePaymentMethod.self) { request, call -> Void in
      let (user, actor) = (try call.user.id, call.auditActor)
      try await database.write { tx in
        let isDeleted = try store.delete(request.id, of: user, in: tx)
        if isDeleted { try tx.audit("payment-method.deleted", object: "payment-method:\(request.id)", by: actor) }
      }
    }
  }

  private func add(_ request: OrdersAPI.AddPaymentMethod, of user: UserID, by call: Call) async throws
    -> PaymentMethod
  {
    _ = try providers[request.provider]
    let id: PaymentMethodID = ids.make()
    return try await database.write { tx in
      try tx.idempotent(call.idempotencyKey) {
        guard try store.list(of: user, in: tx).count < Self.maxCount else { throw Problem(.tooManyPaymentMethods) }
        let method = PaymentMethod(
          id: id, provider: request.provider, label: request.label.rawValue, createdAt: tx.now)
        try store.insert(method, token: request.token, of: user, in: tx)
        try tx.audit("payment-method.added", object: "payment-method:\(id)", by: call.auditActor)
        return method
      }
    }
  }

  // MARK: privacy

  func export(_ user: UserID, in db: any Connection) throws -> [(section: String, content: JSONValue)] {
    [("paymentMethods", try JSONValue(store.list(of: user, in: db)))]
  }

  func erase(_ user: UserID, in tx: Transaction) throws { try store.delete(of: user, in: tx) }
}
