import Contracts

/// A state of a state machine with a fixed set of transitions.
protocol StateMachine: WireEnum {
  var successors: Set<Self> { get }
}

extension OrderStatus: StateMachine {
  var successors: Set<Self> {
    switch self {
    case .pendingPayment: [.placed, .canceled, .expired]
    case .placed: [.canceled]
    case .canceled, .expired: []
    }
  }
}

extension PaymentStatus: StateMachine {
  var successors: Set<Self> {
    switch self {
    case .unpaid: [.paid, .failed]
    case .failed: [.paid]
    case .paid: [.partiallyRefunded, .refunded]
    case .partiallyRefunded: [.refunded]
    // Apple may reverse a refund.
    case .refunded: [.paid]
    }
  }
}

extension FulfillmentStatus: StateMachine {
  /// A shipped order can no longer be canceled.
  var successors: Set<Self> {
    switch self {
    case .processing: [.processed, .canceled]
    case .processed: [.shipped, .canceled]
    case .shipped: [.delivered]
    case .delivered, .canceled: []
    }
  }
}
