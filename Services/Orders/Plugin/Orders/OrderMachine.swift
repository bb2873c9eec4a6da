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
    case .canceled: []
    // A payment that was made in time, or approved late, may be reported afterwards.
    case .expired: [.pendingPayment]
    }
  }
}

extension PaymentStatus: StateMachine {
  var successors: Set<Self> {
    switch self {
    case .unpaid: [.paid, .failed]
    case .failed: [.paid]
    case .paid: [.partiallyRefunded, .refunded]
    // A provider may reverse its refund, and report that one has failed after all.
    case .partiallyRefunded: [.refunded, .paid]
    case .refunded: [.partiallyRefunded, .paid]
    }
  }
}

extension FulfillmentStatus: StateMachine {
  /// How the fulfillment of goods advances. What has shipped can no longer be canceled.
  var successors: Set<Self> {
    switch self {
    case .processing: [.processed, .canceled]
    case .processed: [.shipped, .canceled]
    case .shipped: [.delivered]
    case .delivered, .canceled: []
    }
  }
}
