import Contracts
import Logging
import Persistence
import ServiceKit
import ServiceLifecycle

/// Stock reserved for buyers, one reservation per order. Each call is idempotent and tolerates late and reordered
/// delivery: a reservation that was refused, committed, or released by a call is not reserved again.
struct Reservations: Feature {
  private let core: CatalogCore

  /// How long ended reservations are retained, in seconds.
  private static let keptSeconds = 90.0 * 86_400

  init(_ core: CatalogCore) { self.core = core }

  func register(in routes: inout Routes) {
    routes.on(CatalogAPI.ReserveStock.self) { request, _ in
      try Products.checkCount(request.lines.count)
      // A refusal is stored, too, so it is thrown after the commit.
      return try await core.database.write { tx in try Self.hold(request.id, request, in: tx) }.get()
    }
    routes.on(CatalogAPI.CommitReservation.self) { request, _ in
      try await core.database.write { tx in try Self.commit(request.id, in: tx) }
    }
    routes.on(CatalogAPI.ReduceReservation.self) { request, _ in
      try await core.database.write { tx in try Self.reduce(request.id, to: request.lines, in: tx) }
    }
    routes.on(CatalogAPI.ReleaseReservation.self) { request, _ in
      try await core.database.write { tx in try Self.release(request.id, in: tx) }
    }
  }

  // MARK: calls from orders

  private static func hold(_ id: ReservationID, _ request: CatalogAPI.ReserveStock, in tx: Transaction) throws
    -> Result<StockReservation, Problem>
  {
    if let known = try ReservationStore.find(id, in: tx) {
      return known.status == .released ? .failure(Problem(.reservationEnded)) : .success(known)
    }
    guard request.expiresAt > tx.now else { return .failure(Problem(.reservationEnded)) }
    let lines = Dictionary(request.lines.map { ($0.product, $0.quantity.value) }, uniquingKeysWith: +)
    let onSale = try ProductStore.saleItems(Array(lines.keys), in: tx)
    let isOnSale = onSale.count == lines.count
    let reservation = StockReservation(id: id, status: .held, expiresAt: request.expiresAt)
    try ReservationStore.insert(reservation, in: tx)
    guard isOnSale else { return try refuse(id, Problem(.productNotFound), in: tx) }
    for (product, quantity) in lines { try ReservationStore.insertLine(item(product), quantity, of: id, in: tx) }
    let short = try take(id, in: tx)
    return short.isEmpty ? .success(reservation) : try refuse(id, insufficient(short), in: tx)
  }

  /// The order ends with this answer. An earlier attempt to reserve, which is still on its way, must not take stock that
  /// was returned meanwhile.
  private static func refuse(_ id: ReservationID, _ problem: Problem, in tx: Transaction) throws
    -> Result<StockReservation, Problem>
  {
    try ReservationStore.deleteLines(of: id, in: tx)
    try ReservationStore.end(id, as: .released, in: tx)
    return .failure(problem)
  }

  /// Marks the stock as sold. An expired reservation is renewed first, if the stock is still available.
  private static func commit(_ id: ReservationID, in tx: Transaction) throws -> StockReservation {
    guard var reservation = try ReservationStore.find(id, in: tx) else { throw Problem(.reservationEnded) }
    switch reservation.status {
    case .committed: return reservation
    case .released:
      // It was released by a call, or it expired; only an expired reservation still has its lines.
      guard try !ReservationStore.lines(of: id, in: tx).isEmpty else { throw Problem(.reservationEnded) }
      let short = try take(id, in: tx)
      guard short.isEmpty else { throw insufficient(short) }
    case .held: break
    }
    for line in try ReservationStore.lines(of: id, in: tx) { try StockStore.sell(line.item, line.quantity, in: tx) }
    try ReservationStore.end(id, as: .committed, in: tx)
    reservation.status = .committed
    return reservation
  }

  /// Returns the stock beyond these lines. An ended reservation has nothing to return.
  private static func reduce(_ id: ReservationID, to lines: [StockLine], in tx: Transaction) throws {
    guard let reservation = try ReservationStore.find(id, in: tx), reservation.status != .released else { return }
    let kept = Dictionary(lines.map { (item($0.product), $0.quantity.value) }, uniquingKeysWith: +)
    for line in try ReservationStore.lines(of: id, in: tx) {
      let rest = min(line.quantity, kept[line.item] ?? 0)
      guard rest < line.quantity else { continue }
      try returnStock(line.item, line.quantity - rest, reservation.status, in: tx)
      try ReservationStore.setLine(line.item, rest, of: id, in: tx)
    }
  }

  /// Makes stock available again.
  private static func returnStock(
    _ item: String, _ quantity: Int, _ status: StockReservation.Status, in tx: Transaction
  ) throws {
    switch status {
    case .held: try StockStore.free(item, quantity, in: tx)
    case .committed: try StockStore.restock(item, quantity, in: tx)
    case .released: break
    }
  }

  private static func release(_ id: ReservationID, in tx: Transaction) throws {
    guard let reservation = try ReservationStore.find(id, in: tx) else {
      // The release arrived before the reservation, which will then find itself ended.
      return try ReservationStore.insert(StockReservation(id: id, status: .released, expiresAt: tx.now), in: tx)
    }
    for line in try ReservationStore.lines(of: id, in: tx) {
      try returnStock(line.item, line.quantity, reservation.status, in: tx)
    }
    try ReservationStore.deleteLines(of: id, in: tx)
    try ReservationStore.end(id, as: .released, in: tx)
  }

  // MARK: steps

  /// Reserves the stock of all lines, or of none. When stock is insufficient, expired reservations are released first.
  ///
  /// - Returns: The items of which there is not enough.
  private static func take(_ id: ReservationID, in tx: Transaction) throws -> [String] {
    var (taken, short): ([(item: String, quantity: Int)], [String]) = ([], [])
    var hasFreed = false
    for line in try ReservationStore.lines(of: id, in: tx) {
      var isTaken = try StockStore.reserve(line.item, line.quantity, in: tx)
      if !isTaken, !hasFreed {
        hasFreed = true
        _ = try expire(limit: 1000, in: tx)
        isTaken = try StockStore.reserve(line.item, line.quantity, in: tx)
      }
      if isTaken { taken.append(line) } else { short.append(line.item) }
    }
    if !short.isEmpty { for line in taken { try StockStore.free(line.item, line.quantity, in: tx) } }
    return short
  }

  private static func insufficient(_ items: [String]) -> Problem {
    Problem(
      .insufficientStock, errors: items.map { .init(location: "items.\($0)", message: "has insufficient stock") })
  }

  /// Releases the stock of buyers who have not paid in time. Their lines are kept, in case a payment arrives late.
  static func expire(limit: Int, in tx: Transaction) throws -> Int {
    let ids = try ReservationStore.expired(limit: limit, in: tx)
    for id in ids {
      for line in try ReservationStore.lines(of: id, in: tx) { try StockStore.free(line.item, line.quantity, in: tx) }
      try ReservationStore.end(id, as: .released, in: tx)
    }
    return ids.count
  }

  private static func item(_ product: ProductReference) -> String {
    product.variantID?.rawValue ?? product.productID.rawValue
  }

  // MARK: expiration

  var workers: [any Service] {
    [
      PeriodicTask("stock.expire-reservations", per: .platform, every: .seconds(1), logger: core.logger) {
        try await releaseExpired()
      }
    ]
  }

  /// Releases expired reservations and deletes those that ended long ago.
  private func releaseExpired() async throws {
    let now = core.time.now()
    let old = now.advanced(bySeconds: -Self.keptSeconds)
    guard try await core.database.read({ db in try ReservationStore.isDue(at: now, old: old, in: db) }) else { return }
    try await core.database.write { tx in
      _ = try Self.expire(limit: 1000, in: tx)
      try ReservationStore.delete(endedBefore: old, in: tx)
    }
  }
}
