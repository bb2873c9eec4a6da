import Contracts
import Persistence

/// What the streams of buyers and sellers receive about orders.
enum OrderEvents {
  /// An agreed order waits for its payment.
  static func awaitsPayment(_ id: OrderID, of buyer: UserID, in tx: Transaction) throws {
    try tx.record(RealtimeEvent(to: buyer, "order.pendingPayment", ["order": .string(id.rawValue)]))
  }

  /// Notifies the buyer, if there still is an account.
  static func changed(_ order: StoredOrder, _ name: String, in tx: Transaction) throws {
    guard let buyer = order.userID else { return }
    try tx.record(
      RealtimeEvent(to: buyer, name, ["order": .string(order.id.rawValue), "version": .integer(Int64(order.version))])
    )
  }

  /// The goods have moved.
  static func moved(_ order: StoredOrder, to status: FulfillmentStatus, in tx: Transaction) throws {
    guard let buyer = order.userID else { return }
    let data: JSONValue = ["order": .string(order.id.rawValue), "status": .string(status.rawValue)]
    try tx.record(RealtimeEvent(to: buyer, "order.moved", data))
  }

  /// Notifies the sellers of a placed order.
  static func sold(_ order: OrderID, _ lines: [StoredLine], in tx: Transaction) throws {
    for seller in Set(lines.compactMap(\.sellerID)) {
      try tx.record(RealtimeEvent(to: seller, "license.sold", ["order": .string(order.rawValue)]))
    }
  }
}
