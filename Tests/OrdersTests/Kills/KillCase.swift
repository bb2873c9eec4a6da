import Contracts
import TestKit

@testable import OrdersService

/// The steps of a sale on which two parties commit, one after the other.
enum KillStep: String, CaseIterable, Sendable {
  // Orders asks catalog.
  case reserveStock, commitReservation, releaseReservation, reduceReservation
  // Orders asks Stripe.
  case createCustomer, createPayment, cancelPayment, refund
  // Stripe notifies orders.
  case webhook
  // The app, or Apple, notifies orders.
  case storeKitPurchase, storeKitRefund

  /// The way that the step's request takes.
  enum Way: CaseIterable, Sendable {
    case ordersToCatalog, ordersToStripe, gatewayToOrders
  }

  var way: Way {
    switch self {
    case .reserveStock, .commitReservation, .releaseReservation, .reduceReservation: .ordersToCatalog
    case .createCustomer, .createPayment, .cancelPayment, .refund: .ordersToStripe
    case .webhook, .storeKitPurchase, .storeKitRefund: .gatewayToOrders
    }
  }

  /// Whether a request is this step.
  func isMade(by method: String, _ path: String) -> Bool {
    let reservation = "/internal/v1/reservations/"
    let isOfReservation = path.hasPrefix(reservation)
    let isReservation = isOfReservation && !path.dropFirst(reservation.count).contains("/")
    switch self {
    case .reserveStock: return method == "PUT" && isReservation
    case .commitReservation: return isOfReservation && path.hasSuffix("/commit")
    case .releaseReservation: return method == "DELETE" && isReservation
    case .reduceReservation: return isOfReservation && path.hasSuffix("/lines")
    case .createCustomer: return method == "POST" && path == "/v1/customers"
    case .createPayment: return method == "POST" && path == "/v1/payment_intents"
    case .cancelPayment: return path.hasPrefix("/v1/payment_intents/") && path.hasSuffix("/cancel")
    case .refund: return method == "POST" && path == "/v1/refunds"
    case .webhook: return path == "/v1/payments/webhooks/stripe"
    case .storeKitPurchase: return path == "/v1/payments/storekit/transactions"
    case .storeKitRefund: return path == "/v1/payments/webhooks/storekit"
    }
  }

  /// How an order ends that goes through this step, whoever is killed.
  var end: End {
    switch self {
    case .reserveStock, .commitReservation, .createCustomer, .createPayment, .webhook:
      End(status: .placed, payment: .paid, stock: .committed)
    case .reduceReservation, .refund: End(status: .placed, payment: .partiallyRefunded, stock: .committed)
    case .releaseReservation: End(status: .canceled, payment: .refunded, stock: .released)
    case .cancelPayment: End(status: .canceled, payment: .unpaid, stock: .released)
    case .storeKitPurchase: End(status: .placed, payment: .paid, stock: .none)
    case .storeKitRefund: End(status: .placed, payment: .refunded, stock: .none)
    }
  }

  struct End: Sendable, Equatable {
    var status: OrderStatus
    var payment: PaymentStatus
    var stock: StoredOrder.Stock
  }
}

/// One row of the table: at a step, one of the services is killed before the step's request has reached the other party,
/// or after that party has committed and before its answer arrives.
struct KillCase: Sendable, CustomStringConvertible {
  enum Service: String, CaseIterable, Sendable {
    case orders, catalog
  }

  let step: KillStep
  let service: Service
  let moment: ForwardingProxy.Moment

  var description: String { "\(step.rawValue), \(service.rawValue) killed \(moment.rawValue)" }

  /// Whether the killed service is an end of the step's connection, which dies with it.
  var losesRequest: Bool {
    switch service {
    case .orders: true
    case .catalog: step.way == .ordersToCatalog
    }
  }

  static let table = KillStep.allCases.flatMap { step in
    Service.allCases.flatMap { service in
      ForwardingProxy.Moment.allCases.map { KillCase(step: step, service: service, moment: $0) }
    }
  }

  /// Every case in a random order, and again until there are as many as wanted.
  static func rounds(_ count: Int, _ generator: inout SeededGenerator) -> [KillCase] {
    var rounds: [KillCase] = []
    let wanted = max(count, table.count)
    while rounds.count < wanted { rounds += table.shuffled(using: &generator) }
    return Array(rounds.prefix(wanted))
  }
}
