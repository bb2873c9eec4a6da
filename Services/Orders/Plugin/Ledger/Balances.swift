import Contracts
import Persistence
import ServiceKit

/// Endpoints of balances and store credit.
struct Balances: Feature {
  let core: OrdersCore

  init(_ core: OrdersCore) { self.core = core }

  func register(in routes: inout Routes) {
    routes.on(OrdersAPI.GetBalance.self) { _, call in
      let user = try call.user.id
      return Page(items: try await core.database.read { try LedgerStore.balances(of: user, in: $0) })
    }
    routes.on(OrdersAPI.ListBalanceEntries.self) { request, call in
      let (user, page) = (try call.user.id, try request.page(by: LedgerStore.EntryCursor.self, limit: 50))
      return try await core.database.read { db in
        try page.fetch({ try LedgerStore.entries(of: user, before: $0, limit: $1, in: db) }, key: { .init($0) }).page
      }
    }
    routes.on(OrdersAPI.GrantCredit.self) { request, call in try await grant(request, call) }
  }

  private func grant(_ request: OrdersAPI.GrantCredit, _ call: Call) async throws -> Balance {
    let (user, amount) = (request.user, request.amount.money)
    let id = core.ids.text()
    return try await core.database.write { tx in
      try tx.idempotent(call.idempotencyKey) {
        let transfer = Transfer(id: "\(id):grant", from: .goodwill, to: .credit(user), amount: amount, code: "grant")
        try LedgerStore.post([transfer], in: tx)
        let changes = [
          AuditChange("credit", from: nil, to: amount.description),
          AuditChange("reason", from: nil, to: request.reason.rawValue),
        ]
        try tx.audit("credit.granted", object: "user:\(user)", by: call.auditActor, changes: changes)
        let balances = try LedgerStore.balances(of: user, in: tx)
        return balances.first { $0.kind == .credit && $0.available.currency == amount.currency }
          ?? Balance(kind: .credit, available: Money(0, amount.currency), held: Money(0, amount.currency))
      }
    }
  }

  // MARK: privacy

  func export(_ user: UserID, in db: any Connection) throws -> [(section: String, content: JSONValue)] {
    [("balances", try JSONValue(LedgerStore.balances(of: user, in: db)))]
  }
}
