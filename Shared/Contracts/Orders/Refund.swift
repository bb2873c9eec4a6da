public typealias RefundID = ID<Refund>

/// Money given back to a buyer.
public struct Refund: Codable, Sendable, Equatable {
  public enum Status: String, WireEnum {
    case pending, succeeded
    /// The provider refused it, or could not pay it out. The money is still owed to the buyer.
    case failed
    /// Failed, and then made another way.
    case replaced
    /// Made by the provider on its own account, and taken back by it: a dispute that was won.
    case reversed
  }

  /// A part of a refund that is taken from one line.
  public struct Line: Codable, Sendable, Equatable {
    /// The position of the line in its order; see ``OrderLine``.
    public var position: Int
    public var quantity: Int
    /// Including tax.
    public var amount: Money
    public init(position: Int, quantity: Int, amount: Money) {
      (self.position, self.quantity, self.amount) = (position, quantity, amount)
    }
  }

  public var id: RefundID
  public var orderID: OrderID
  /// Including tax.
  public var amount: Money
  /// Whether it is store credit instead of a return to the original payment method.
  public var toCredit: Bool
  public var status: Status
  public var reason: String?
  /// The provider's error code if the refund failed.
  public var failure: String?
  /// Whether the payment provider made it on its own account, such as for a dispute.
  public var isByProvider: Bool
  /// Empty for a payment that was not due, and for an order that was never placed.
  public var lines: [Line]
  /// The part for shipping, including its tax.
  public var shipping: Money?
  /// The amount that a failed refund still owes to the buyer.
  public var owed: Money?
  public var createdAt: Timestamp
  public init(
    id: RefundID, orderID: OrderID, amount: Money, toCredit: Bool, status: Status, reason: String?, failure: String?,
    isByProvider: Bool, lines: [Line], shipping: Money?, owed: Money?, createdAt: Timestamp
  ) {
    (self.id, self.orderID, self.amount, self.toCredit, self.status) = (id, orderID, amount, toCredit, status)
    (self.reason, self.failure, self.isByProvider, self.lines) = (reason, failure, isByProvider, lines)
    (self.shipping, self.owed, self.createdAt) = (shipping, owed, createdAt)
  }
}

/// The part of a line to refund: by default all that is left of it.
public struct RefundedLine: Codable, Sendable, Equatable {
  public var position: LinePosition
  /// The number of units, with their share of the line's price.
  public var quantity: Quantity?
  /// An amount including tax, instead of a number of units.
  public var amount: Price?
  public init(position: LinePosition, quantity: Quantity? = nil, amount: Price? = nil) {
    (self.position, self.quantity, self.amount) = (position, quantity, amount)
  }
}
