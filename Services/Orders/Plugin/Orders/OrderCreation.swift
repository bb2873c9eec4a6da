import Contracts
import Persistence

/// Makes orders, whatever they result from: stores one, keeps its recordings, and schedules its job.
struct OrderCreation: Sendable {
  let orders: OrderStore
  let queue: OrderQueue

  func make(_ order: StoredOrder, _ lines: [StoredLine], in tx: Transaction) throws {
    try orders.insert(order, lines, in: tx)
    try OrderMedia.began(order, lines, in: tx)
    try queue.schedule(order.id, in: tx)
  }
}
