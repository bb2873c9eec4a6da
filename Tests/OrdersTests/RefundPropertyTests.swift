import Contracts
import Foundation
import Persistence
import ServiceKit
import TestKit
import Testing

@testable import OrdersService

/// Random orders, with random sequences of refunds of lines, refunds that fail and are made again, disputes and their
/// ends. After every step the books agree and no one has got back more than was paid; in the end, every seller has
/// exactly the shares of the lines that are not refunded.
@Suite(.serialized)
struct RefundPropertyTests {
  private struct World {
    let core: OrdersCore
    let ids: IDGenerator
    let owner = UserID(trusted: IDGenerator().text())
    let sellers: [UserID]
    var generator: SeededGenerator

    mutating func pick(_ range: ClosedRange<Int64>) -> Int64 { .random(in: range, using: &generator) }

    /// A random cart, priced by random rules.
    mutating func order() throws -> (StoredOrder, [StoredLine]) {
      let isIncluded = Bool.random(using: &generator)
      let rules = PricingRules(
        tax: [TaxRule(rate: TaxRate(checked: Int(pick(0...250_000))), isIncluded: isIncluded)],
        shipping: [ShippingRule(base: Price(checked: Money(pick(0...999), .usd)))]
      )
      var cart: [CartLine] = []
      for number in 0..<Int(pick(1...5)) {
        let price = Money(pick(0...5) == 0 ? 0 : pick(1...9999), .usd)
        if Bool.random(using: &generator) {
          let product = ProductReference(productID: ids.make(), variantID: nil)
          cart.append(
            CartLine(
              item: .product(product), title: "P\(number)", quantity: Int(pick(1...4)), unitPrice: price,
              taxClass: "standard", isShipped: true, weightGrams: 100))
        } else {
          let terms = LicenseOption(kind: .lease, price: Price(checked: price), files: [.mp3])
          cart.append(
            CartLine(
              item: .license(ids.make(), .lease), title: "L\(number)", quantity: 1, unitPrice: price,
              taxClass: "license", isShipped: false, weightGrams: 0,
              sellerID: sellers.randomElement(using: &generator), terms: terms,
              audio: ids.make()))
        }
      }
      let priced = Pricing(rules: rules).price(cart, currency: .usd, region: nil)
      let credit = pick(0...2) == 0 ? pick(0...priced.totals.total) : 0
      let order = StoredOrder(
        id: ids.make(), userID: ids.make(), source: .cart, totals: priced.totals, credit: credit, stock: .none,
        payBy: nil, createdAt: core.time.now())
      return (order, cart.lines(priced.lines))
    }

    /// Stores, pays and places an order.
    func place(_ order: StoredOrder, _ lines: [StoredLine]) async throws -> StoredPayment? {
      try await core.database.write { [core, ids] tx in
        if order.credit > 0, let buyer = order.userID {
          let (account, amount) = (LedgerAccount.credit(buyer), Money(order.credit, .usd))
          let grant = Transfer(id: "\(order.id):grant", from: .goodwill, to: account, amount: amount, code: "grant")
          try LedgerStore.post([grant], in: tx)
          try LedgerStore.hold(
            LedgerStore.creditHold(of: order.id), amount, on: account, until: tx.now.advanced(bySeconds: 60), in: tx)
        }
        try core.orders.insert(order, lines, in: tx)
        guard order.due > 0 else {
          try core.transitions.settleFree(order.id, in: tx)
          try core.transitions.place(order.id, in: tx)
          return nil
        }
        var payment = StoredPayment(
          id: ids.make(), orderID: order.id, provider: .stripe, amount: Money(order.due, .usd))
        try core.payments.insert(payment, token: nil, in: tx)
        try core.transitions.paid(payment, .succeeded(reference: "pi_\(payment.id)"), in: tx)
        try core.transitions.place(order.id, in: tx)
        payment.status = .succeeded
        return payment
      }
    }

    /// Refunds what is left of a line, some of its units, or an amount of it.
    func refund(_ order: OrderID, _ request: OrdersAPI.RefundOrder, toCredit: Bool) async throws {
      try await core.database.write { [core] tx in
        var sale = try core.orders.sale(core.orders.get(order, in: tx), in: tx)
        let parts: [RefundPart]
        do {
          parts = try RefundChoice(request).parts(of: sale)
        } catch let problem as Problem where problem.is(.refundTooLarge) { return }
        _ = try core.refunds.refund(parts, of: &sale, toCredit: toCredit, reason: nil, in: tx)
        sale.cancelRefunded(parts, restock: false)
        try core.cancellation.close(&sale, by: "test", reason: nil, in: tx)
      }
    }

    /// Ends what is pending: twice, as after a crash.
    func end(_ order: OrderID, _ outcome: RefundOutcome) async throws {
      for _ in 0..<2 {
        try await core.database.write { [core] tx in
          for refund in try RefundStore.list(of: order, in: tx) where refund.isDue {
            try core.refunds.refunded(refund, outcome, in: tx)
          }
        }
      }
    }

    func retry(_ order: OrderID, toCredit: Bool) async throws {
      try await core.database.write { [core] tx in
        for refund in try RefundStore.list(of: order, in: tx) where refund.owed > 0 {
          _ = try core.refunds.retry(refund, toCredit: toCredit, in: tx)
        }
      }
    }

    func dispute(_ payment: StoredPayment, _ reference: String, _ amount: Int64, isWon: Bool) async throws {
      try await core.database.write { [core] tx in
        var order = try core.orders.get(payment.orderID, in: tx)
        let book = isWon ? core.refunds.providerGaveBack : core.refunds.providerTookBack
        for _ in 0..<2 { try book(&order, payment, Money(amount, .usd), "dispute", reference, tx) }
      }
    }

    func check(_ order: OrderID, _ steps: [String]) async throws {
      try #require(
        try await LedgerReconciliation.discrepancies(in: core.database) == [], "\(generator) \(steps)")
      let (stored, refunds) = try await core.database.read { [core] db in
        (try core.orders.get(order, in: db), try RefundStore.list(of: order, in: db))
      }
      try #require(stored.refunded <= stored.totals.total, "\(generator) \(steps)")
      try #require((0...stored.totals.total).contains(stored.returned), "\(generator) \(steps)")
      // The amount that the shop itself has paid out, or will, beside what providers took.
      let own = refunds.filter { !$0.isByProvider && [.pending, .succeeded, .failed].contains($0.status) }
        .reduce(0) { $0 + $1.amount.amount - $1.settled }
      try #require(own <= stored.totals.total, "\(generator) \(steps)")
    }
  }

  @Test("M15, M11: whatever is refunded, disputed and reversed, each recipient pays back its own share")
  func everySequenceOfRefunds() async throws {
    try await TestPlatform.orders { host async throws in
      var world = World(
        core: try host.orders.core, ids: host.ids, sellers: (0..<3).map { _ in host.ids.make() },
        generator: SeededGenerator())
      var expected: [UserID: Int64] = [:]
      for _ in 0..<40 {
        let (order, lines) = try world.order()
        let kept = try await run(order, lines, &world)
        let sold = try await world.core.database.read { [core = world.core] db in
          try core.orders.lines(of: order, in: db)
        }
        for line in sold where kept.contains(line.position) {
          if let seller = line.sellerID { expected[seller, default: 0] += line.line.net.amount - line.fee }
        }
      }
      for seller in world.sellers {
        let earned = try await world.core.database.read { try LedgerStore.available(.earnings(seller), .usd, in: $0) }
        #expect(earned == expected[seller] ?? 0, "\(world.generator)")
      }
    }
  }

  /// - Returns: The positions of the lines that are not refunded.
  private func run(_ order: StoredOrder, _ lines: [StoredLine], _ world: inout World) async throws -> Set<Int> {
    let payment = try await world.place(order, lines)
    var (kept, disputes) = (Set(lines.indices), [String: Int64]())
    var steps: [String] = []
    for step in 0..<Int(world.pick(1...8)) {
      let choice = world.pick(0...6)
      switch choice {
      case 0, 1, 2:
        let position = Int(world.pick(0...Int64(lines.count - 1)))
        kept.remove(position)
        let isPart = Bool.random(using: &world.generator)
        let line = RefundedLine(
          position: LinePosition(checked: position), quantity: isPart && choice == 0 ? Quantity(checked: 1) : nil,
          amount: isPart && choice == 1 ? Price(checked: Money(world.pick(1...500), .usd)) : nil)
        try await world.refund(order.id, .init(id: order.id, lines: [line]), toCredit: choice == 2)
      case 3: try await world.end(order.id, .succeeded(reference: "re_\(step)"))
      case 4: try await world.end(order.id, .refused(reason: "charge_disputed"))
      case 5: try await world.retry(order.id, toCredit: Bool.random(using: &world.generator))
      default:
        guard let payment else { continue }
        disputes["dp_\(step)"] = world.pick(1...payment.amount.amount)
        try await world.dispute(payment, "dp_\(step)", disputes["dp_\(step)"] ?? 0, isWon: false)
      }
      steps.append("\(choice)")
      try await world.check(order.id, steps)
    }
    if let payment {
      for (reference, amount) in disputes.sorted(by: { $0.key < $1.key }) {
        try await world.dispute(payment, reference, amount, isWon: true)
        try await world.check(order.id, steps + ["won"])
      }
    }
    for position in Set(lines.indices).subtracting(kept) {
      let rest = RefundedLine(position: LinePosition(checked: position))
      try await world.refund(order.id, .init(id: order.id, lines: [rest]), toCredit: false)
    }
    try await world.end(order.id, .succeeded(reference: "re_end"))
    try await world.check(order.id, steps + ["end"])
    return kept
  }

  @Test func partsOfSharesAddUp() throws {
    var generator = SeededGenerator()
    for _ in 0..<2000 {
      let shares = Shares(
        proceeds: .random(in: 0...9999, using: &generator), fee: .random(in: 0...999, using: &generator),
        tax: .random(in: 0...999, using: &generator))
      let part = shares.part(.random(in: 0...shares.total, using: &generator))
      let rest = shares - part
      try #require(min(part.proceeds, part.fee, part.tax, rest.proceeds, rest.fee, rest.tax) >= 0, "\(generator)")
      let parts = [RefundPart(position: 0, shares: shares, quantity: 1), RefundPart(position: 1, shares: part)]
      let amount = Int64.random(in: 0...parts.total, using: &generator)
      let (first, second) = parts.split(at: amount)
      try #require(first.total == amount, "\(generator)")
      try #require(first.total + second.total == parts.total, "\(generator)")
      try #require((first + second).reduce(0) { $0 + $1.quantity } == 1, "\(generator)")
    }
  }
}
