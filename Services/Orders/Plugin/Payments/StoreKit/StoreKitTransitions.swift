import Contracts
import Persistence
import ServiceKit

/// The consequences of a transaction that Apple has signed, in the transaction that stores it: an order is paid, an
/// amount becomes store credit, a refund is booked or reversed, a plan begins or changes. Whatever the order in which
/// states arrive, and whoever hands them in, the newest one decides.
struct StoreKitTransitions: Sendable {
  let core: OrdersCore
  let plans: Plans

  init(_ core: OrdersCore, plans: Plans) { (self.core, self.plans) = (core, plans) }

  /// The user who submits a transaction from the app, and the order that it is for.
  struct Claim: Sendable {
    var user: UserID
    var order: OrderID?
  }

  /// The outcome of a transaction.
  struct Outcome: Sendable {
    /// The order that it has paid, or whose refund it is.
    var order: OrderID?
    var subscription: Subscription?
    /// The store credit that the buyer got instead.
    var credited: Money?
    var problem: Problem?
  }

  private struct Mismatch: Error {
    var reason: UnmatchedPurchase.Reason
    var problem: Problem

    init(_ reason: UnmatchedPurchase.Reason, _ detail: String) {
      (self.reason, problem) = (reason, Problem(.transactionMismatch, detail: detail))
    }
  }

  /// Stores a transaction and applies it. It is stored whatever the outcome.
  /// - Throws: ``Problem`` when it has to be handed in again, because its order is being processed.
  func record(
    _ new: StoreKitPurchase, token: String?, renewal: StoreKitRenewal? = nil, claim: Claim? = nil, in tx: Transaction
  ) throws -> Outcome {
    let before = try StoreKitStore.find(new.id, in: tx)?.state.revocation
    var purchase = try StoreKitStore.keep(new, in: tx)
    if let renewal { try StoreKitStore.keep(renewal, in: tx) }
    let hasChanged = before != purchase.state.revocation
    var outcome = Outcome()
    let isMatched =
      purchase.problem == nil && (purchase.user?.rawValue ?? purchase.order?.rawValue) != nil
    do {
      if plans.plan(storeKitProduct: purchase.state.product) != nil {
        outcome = try subscribe(&purchase, token: token, claim: claim, in: tx)
      } else if let payment = try core.payments.find(.storekit, purchase.id, in: tx) {
        outcome = try settled(payment, purchase, claim, in: tx)
        if hasChanged { try follow(purchase, payment, in: tx) }
      } else {
        outcome = try pay(&purchase, token: token, claim: claim, in: tx)
      }
    } catch let mismatch as Mismatch {
      if !isMatched {
        purchase.problem = mismatch.reason
        if let claim, claim.user.rawValue == token?.lowercased() { purchase.user = claim.user }
      }
      outcome.problem = mismatch.problem
    }
    try StoreKitStore.update(purchase, in: tx)
    if claim != nil, outcome.problem == nil,
      purchase.state.revocation?.share == StoreKitState.Revocation.whole
    {
      outcome.problem = Problem(.transactionRevoked)
    }
    return outcome
  }

  // MARK: plans

  private func subscribe(_ purchase: inout StoreKitPurchase, token: String?, claim: Claim?, in tx: Transaction) throws
    -> Outcome
  {
    let named = token.flatMap { UserID($0.lowercased()) }
    guard claim?.order == nil else { throw Mismatch(.product, "The product is a plan.") }
    guard claim.map({ $0.user == named }) ?? true else {
      throw Mismatch(.otherToken, "The appAccountToken does not match the user.")
    }
    guard let user = purchase.user ?? named else {
      throw Mismatch(.otherToken, "The appAccountToken does not name a user.")
    }
    // Apple goes on to name an account that is deleted here.
    let known = try plans.store.find(.storekit, purchase.original, in: tx)
    purchase.user = known.map { $0.user } ?? user
    purchase.problem = nil
    try StoreKitStore.update(purchase, in: tx)
    let standing = try StoreKitStore.standing(of: purchase.original, in: tx)
    let subscription = try plans.record(standing, .storekit, user: user, in: tx)
    if subscription == nil, claim != nil {
      throw Mismatch(.otherToken, "The subscription is another user's.")
    }
    return Outcome(subscription: subscription)
  }

  // MARK: orders

  /// A transaction that is already booked.
  private func settled(_ payment: StoredPayment, _ purchase: StoreKitPurchase, _ claim: Claim?, in tx: Transaction)
    throws -> Outcome
  {
    if let claim {
      let owner = try core.orders.find(payment.orderID, in: tx)?.userID
      guard claim.order.map({ $0 == payment.orderID }) ?? true, owner == claim.user else {
        return Outcome(problem: Problem(.transactionMismatch, detail: "The transaction is already in use."))
      }
    }
    return Outcome(order: payment.orderID, credited: try credited(payment, in: tx))
  }

  /// Pays the order of a transaction that is not booked yet.
  private func pay(_ purchase: inout StoreKitPurchase, token: String?, claim: Claim?, in tx: Transaction) throws
    -> Outcome
  {
    guard purchase.state.expiresAt == nil else { throw Mismatch(.product, "The product is not a plan.") }
    var order = try order(of: purchase, token: token, claim, in: tx)
    guard !purchase.isShared else { throw Mismatch(.familyShared, "Another member of the family has paid.") }
    guard order.stock == .none else {
      throw Mismatch(.physicalGoods, "Physical goods cannot be paid through StoreKit.")
    }
    guard let money = purchase.money, money.amount > 0 else {
      throw Mismatch(.price, "The price is not an amount of the currency.")
    }
    let fits = money == Money(order.due, order.currency)
    guard fits || order.status != .pendingPayment || order.paymentStatus == .paid else {
      throw Mismatch(.price, "The price does not match the order.")
    }
    (purchase.user, purchase.order, purchase.problem) = (order.userID, order.id, nil)
    // Apple has given the money back before it was booked; a reversal pays the order.
    guard purchase.state.revocation == nil else { return Outcome(order: order.id) }
    if fits { try core.transitions.reopen(&order, in: tx) }
    let payment = StoredPayment(
      id: core.ids.make(), orderID: order.id, provider: .storekit, amount: money, reference: purchase.id)
    try core.payments.insert(payment, token: nil, in: tx)
    try core.transitions.paid(payment, .succeeded(reference: purchase.id), in: tx)
    try core.queue.schedule(order.id, in: tx)
    let credited = try credited(payment, in: tx)
    if let credited, let user = order.userID {
      try OrderEvents.changed(core.orders.get(order.id, in: tx), "order.credited", in: tx)
      let text = "Your order had ended when the payment arrived. \(credited) were added to your store credit."
      try tx.record(PushRequested(to: user, title: "Payment received", text: text, kind: .payments))
    }
    return Outcome(order: order.id, credited: credited)
  }

  /// The order that a transaction is for: the app names it, or it is in the `appAccountToken`.
  private func order(of purchase: StoreKitPurchase, token: String?, _ claim: Claim?, in tx: Transaction) throws
    -> StoredOrder
  {
    let token = token?.lowercased()
    guard let id = claim?.order ?? purchase.order ?? token.flatMap({ OrderID($0) }),
      let order = try core.orders.find(id, in: tx)
    else {
      // The token may name a user, whose app submits the transaction for an order.
      throw Mismatch(claim?.order.map { _ in .orderUnknown } ?? .orderMissing, "The transaction names no order.")
    }
    guard let claim else { return order }
    guard order.userID == claim.user else {
      var mismatch = Mismatch(.orderUnknown, "")
      mismatch.problem = Problem(.orderNotPayable)
      throw mismatch
    }
    guard token == id.rawValue || token == claim.user.rawValue else {
      throw Mismatch(.otherToken, "The appAccountToken matches neither the order nor the user.")
    }
    guard purchase.order.map({ $0 == id }) ?? true else {
      throw Mismatch(.orderUnknown, "The transaction is already in use.")
    }
    return order
  }

  /// The store credit that the buyer got for a payment that was not due.
  private func credited(_ payment: StoredPayment, in db: any Connection) throws -> Money? {
    try RefundStore.list(of: payment.orderID, in: db)
      .first { $0.surplus == payment.id && $0.payment == nil && $0.status == .succeeded }?.amount
  }

  // MARK: refunds

  /// Books what Apple has refunded of a payment, and reverses what it no longer reports as refunded: exactly what was
  /// booked for that refund. What the shop itself has refunded is not touched.
  private func follow(_ purchase: StoreKitPurchase, _ payment: StoredPayment, in tx: Transaction) throws {
    guard payment.status == .succeeded, var order = try core.orders.find(payment.orderID, in: tx) else { return }
    let known = try RefundStore.list(of: order.id, in: tx).filter { $0.payment == payment.id && $0.isByProvider }
    var isBooked = false
    let wanted = purchase.state.revocation.map { ($0.part(of: payment.amount), "\(purchase.id)@\($0.at.microseconds)") }
    for refund in known where refund.status == .succeeded {
      guard let reference = refund.reference else { continue }
      if let wanted, refund.amount == wanted.0, reference.hasPrefix(wanted.1), !isBooked {
        isBooked = true
      } else {
        try returnCredit(for: refund, of: order, in: tx)
        try core.refunds.providerGaveBack(
          &order, payment: payment, amount: refund.amount, reason: "refund reversed by Apple", reference: reference,
          in: tx)
      }
    }
    if let (amount, reference) = wanted, !isBooked, amount.amount > 0 {
      // A refund may be reversed and made again, with another amount.
      let count = known.count { $0.reference?.hasPrefix(reference) ?? false }
      let name = count == 0 ? reference : "\(reference)#\(count + 1)"
      try core.refunds.providerTookBack(
        &order, payment: payment, amount: amount, reason: "refunded by Apple", reference: name, in: tx)
      if let refund = try RefundStore.find(of: payment.id, reference: name, in: tx) {
        try takeCredit(for: refund, of: order, in: tx)
      }
    }
    try core.queue.schedule(order.id, in: tx)
  }
}
