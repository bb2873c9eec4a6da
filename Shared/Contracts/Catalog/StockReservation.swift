/// A reservation has the ID of its order.
public typealias ReservationID = ID<StockReservation>

public struct StockLine: Codable, Sendable, Equatable {
  public var product: ProductReference
  public var quantity: Quantity
  public init(product: ProductReference, quantity: Quantity) { (self.product, self.quantity) = (product, quantity) }
}

/// A quantity to buy, 1 to 999.
public struct Quantity: BoundedInteger {
  public static let range = 1...999
  public let value: Int
  public init(checked: Int) { value = checked }
}

public struct StockReservation: Codable, Sendable, Equatable {
  public enum Status: String, WireEnum { case held, committed, released }
  public var id: ReservationID
  public var status: Status
  public var expiresAt: Timestamp
  public init(id: ReservationID, status: Status, expiresAt: Timestamp) {
    (self.id, self.status, self.expiresAt) = (id, status, expiresAt)
  }
}
