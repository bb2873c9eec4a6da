import Contracts
import TestKit
import Testing

@testable import OrdersService

extension KillShop {
  /// A sale up to its step, and the request that takes the step.
  private struct Attempt: Sendable {
    /// Ends with the order that the case is about.
    var act: @Sendable () async throws -> Order
  }

  /// Takes a step while a service is killed at it and started again, and waits until the sale is settled.
  /// - Returns: The order.
  func play(_ kill: KillCase) async throws -> OrderID {
    let buyer = try await buyer()
    let attempt = try await prepare(kill.step, buyer)
    let deaths = Counter()
    proxies[kill.step.way]?.intercept(kill.moment, where: { kill.step.isMade(by: $0, $1) }) {
      // The proxy's thread waits, so that the request stands still while the service dies.
      let dead = Gate()
      Task {
        await services.kill(kill.service.rawValue)
        dead.open()
      }
      dead.wait()
      deaths.add()
      return !kill.losesRequest
    }
    let order = try await withThrowingTaskGroup(of: Order?.self) { group in
      group.addTask { try await attempt.act() }
      group.addTask {
        try await eventually("\(kill)") { deaths.value == 1 }
        try await services.restart(kill.service.rawValue)
        return nil
      }
      return try await group.reduce(nil) { $0 ?? $1 }
    }
    let id = try #require(order).id
    try await settle()
    return id
  }

  private func prepare(_ step: KillStep, _ buyer: TestUser) async throws -> Attempt {
    switch step {
    case .reserveStock, .commitReservation, .createCustomer, .createPayment:
      try await fillCart(buyer)
      return Attempt { try await checkOut(buyer, card: "pm_card_visa") }
    case .webhook:
      try await fillCart(buyer)
      let order = try await checkOut(buyer, card: nil)
      try await confirmAtStripe(order)
      return Attempt {
        try await deliverStripe(about: order)
        return order
      }
    case .cancelPayment:
      try await fillCart(buyer)
      let order = try await checkOut(buyer, card: nil)
      return Attempt { try await insist(OrdersAPI.CancelOrder(id: order.id), buyer) }
    case .releaseReservation, .reduceReservation, .refund:
      try await fillCart(buyer)
      let order = try await checkOut(buyer, card: "pm_card_visa")
      return Attempt { try await giveBack(step, order, buyer) }
    case .storeKitPurchase:
      let order = try await pendingForApple(buyer)
      let signed = SignedText(checked: try apple.purchase(of: order))
      return Attempt {
        _ = try await insist(OrdersAPI.SubmitTransaction(signedTransaction: signed, orderID: order.id), buyer)
        return order
      }
    case .storeKitRefund:
      let order = try await pendingForApple(buyer)
      try await submit(order, buyer)
      return Attempt {
        try await deliverRefundByApple(of: order)
        return order
      }
    }
  }

  /// Cancels the whole order or one line of it, or refunds one unit.
  private func giveBack(_ step: KillStep, _ order: Order, _ buyer: TestUser) async throws -> Order {
    switch step {
    case .releaseReservation: return try await insist(OrdersAPI.CancelOrder(id: order.id), owner)
    case .reduceReservation:
      return try await insist(OrdersAPI.CancelOrder(id: order.id, lines: [LinePosition(checked: 0)]), buyer)
    default:
      let line = RefundedLine(position: LinePosition(checked: 0), quantity: Quantity(checked: 1))
      _ = try await insist(OrdersAPI.RefundOrder(id: order.id, lines: [line]), owner, key: "refund-\(order.id)")
      return order
    }
  }
}
