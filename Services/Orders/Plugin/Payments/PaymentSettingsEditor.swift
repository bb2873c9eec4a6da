import Contracts
import Persistence
import ServiceKit

/// The contact data of a user's payments: who is billed, and where.
struct PaymentSettingsEditor: Feature {
  let core: OrdersCore
  let store: PaymentSettingsStore

  init(_ core: OrdersCore) { (self.core, store) = (core, PaymentSettingsStore(keys: core.dataKeys)) }

  func register(in routes: inout Routes) {
    routes.on(OrdersAPI.GetPaymentSettings.self) { _, call in
      let user = try call.user.id
      return try await core.database.read { try store.find(user, in: $0) } ?? PaymentSettings()
    }
    routes.on(OrdersAPI.PutPaymentSettings.self) { request, call in
      let settings = PaymentSettings(name: request.name, email: request.email, address: request.address)
      try await put(settings, of: call.user.id, by: call.auditActor)
      return settings
    }
  }

  private func put(_ settings: PaymentSettings, of user: UserID, by actor: AuditActor) async throws {
    try await core.database.write { tx in
      let before = try store.find(user, in: tx) ?? PaymentSettings()
      guard settings != before else { return }
      try store.save(settings, of: user, in: tx)
      var changes: [AuditChange] = []
      if settings.name != before.name { changes.append(.masked("name")) }
      if settings.email != before.email { changes.append(.masked("email")) }
      if settings.address != before.address { changes.append(.masked("address")) }
      try tx.audit("payment-settings.changed", object: "user:\(user)", by: actor, changes: changes)
    }
  }

  // MARK: privacy

  func export(_ user: UserID, in db: any Connection) throws -> [(section: String, content: JSONValue)] {
    [("paymentSettings", try JSONValue(store.find(user, in: db) ?? PaymentSettings()))]
  }

  func erase(_ user: UserID, in tx: Transaction) throws { try PaymentSettingsStore.delete(of: user, in: tx) }
}
