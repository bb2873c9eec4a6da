import Contracts
import Persistence
import ServiceKit
import ServiceLifecycle

/// Starts another payment for an order that is awaiting payment.
struct PayOrder: Feature {
  let core: OrdersCore
  let prices: AgreedPrices
  let cancellations: PaymentCancellations

  /// The most attempts to pay one order.
  static let maxAttempts = 20

  init(_ core: OrdersCore) throws {
    self.core = core
    cancellations = try PaymentCancellations(core)
    prices = AgreedPrices(core)
  }

  func register(in routes: inout Routes) {
    routes.on(OrdersAPI.PayOrder.self) { request, call in
      try await begin(request, call)
      try await core.workflow.advance(request.id)
      let user = try call.user.id
      return try await core.database.read { db in try core.view.one(request.id, for: user, in: db) }
    }
  }

  private func begin(_ request: OrdersAPI.PayOrder, _ call: Call) async throws {
    let (user, choice) = (try call.user.id, request.choice)
    _ = try core.providers[choice.provider]
    try await core.database.write { tx in
      _ = try tx.idempotent(call.idempotencyKey) {
        var order = try prices.requirePayable(request.id, by: user, in: tx)
        let lines = try core.orders.lines(of: order, in: tx)
        guard try ExclusiveRights.arePayable(lines, of: order, in: tx) else { throw Problem(.listingNotForSale) }
        try prices.price(&order, for: request.region, in: tx)
        let token = try core.methods.token(of: choice, user: user, in: tx)
        let made = try core.payments.list(of: order.id, in: tx)
        let open = made.filter(\.isOpen)
        let due = Money(order.due, order.currency)
        if token == nil, let current = open.last, current.provider == choice.provider, current.amount == due {
          return current.id
        }
        guard made.count < Self.maxAttempts else {
          throw Problem(.orderNotPayable, detail: "There were \(made.count) attempts to pay the order.")
        }
        try core.attempts.begin(by: user, in: tx)
        // The buyer may have abandoned them.
        for attempt in open { try core.withdrawals.withdraw(attempt, in: tx) }
        let payment = StoredPayment(
          id: core.ids.make(),
          orderID: order.id,
          provider: choice.provider,
          amount: due
        )
        try core.payments.insert(payment, token: token, in: tx)
        try core.queue.schedule(order.id, in: tx)
        return payment.id
      }
    }
  }

  var workers: [any Service] { [cancellations] }

  // MARK: privacy

  func erase(_ user: UserID, in tx: Transaction) throws { try PaymentStore.eraseOrphans(in: tx) }
}
