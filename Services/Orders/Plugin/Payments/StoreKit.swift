import Contracts
import Logging
import Persistence
import ServiceKit

/// Purchases through Apple. The most recently signed state of each transaction is stored, so the order in which
/// purchase, refund and reversal arrive does not matter; entitlements follow from that state alone.
struct StoreKit: Feature {
  let database: any Database
  let orders: OrderStore
  let payments: PaymentStore
  let verifier: StoreKitVerifier?
  let bundle: String?
  let appID: Int
  let isProduction: Bool
  let transitions: OrderTransitions
  let workflow: OrderWorkflow
  let plans: Plans
  let view: OrderView
  let ids: IDGenerator

  init(_ core: OrdersCore, plans: Plans) throws {
    (database, orders, payments, verifier) = (core.database, core.orders, core.payments, core.providers.storeKit)
    bundle = try core.settings[OrdersSettings.storeKitBundle]
    appID = try core.settings[OrdersSettings.storeKitAppID]
    isProduction = try core.settings[OrdersSettings.isProduction]
    (transitions, workflow, view, ids) = (core.transitions, core.workflow, core.view, core.ids)
    self.plans = plans
  }

  func register(in routes: inout Routes) {
    routes.on(OrdersAPI.SubmitTransaction.self) { request, call in try await submit(request, by: call.user.id) }
  }

  // MARK: from the app

  private func submit(_ request: OrdersAPI.SubmitTransaction, by user: UserID) async throws -> StoreKitResult {
    let transaction = try await verified(request.signedTransaction)
    if let order = request.orderID {
      try await pay(order, with: transaction, by: user)
      try await workflow.advance(order)
      return StoreKitResult(order: try await database.read { [view] db in try view.one(order, in: db) })
    }
    return StoreKitResult(subscription: try await subscribe(transaction, user))
  }

  private func verified(_ text: SignedText) async throws -> StoreKitTransaction {
    guard let verifier else { throw Problem(.providerNotAvailable) }
    let transaction = try await verifier.verified(text, as: StoreKitTransaction.self)
    try check(transaction.bundleId, transaction.environment)
    return transaction
  }

  private func check(_ bundle: String, _ environment: String) throws(Problem) {
    guard bundle == self.bundle else { throw Problem(.transactionMismatch, detail: "The bundle ID does not match.") }
    guard !isProduction || environment == "Production" else {
      throw Problem(.transactionMismatch, detail: "The transaction is from Apple's \(environment) environment.")
    }
  }

  private func pay(_ id: OrderID, with transaction: StoreKitTransaction, by user: UserID) async throws {
    let token = transaction.appAccountToken?.lowercased()
    guard token == id.rawValue || token == user.rawValue else {
      throw Problem(.transactionMismatch, detail: "The appAccountToken matches neither the order nor the user.")
    }
    guard plans.plan(storeKitProduct: transaction.productId) == nil else {
      throw Problem(.transactionMismatch, detail: "The product is a plan.")
    }
    let newID: PaymentID = ids.make()
    let isRevoked = try await database.write { tx -> Bool in
      guard let order = try orders.find(id, in: tx), order.userID == user else { throw Problem(.orderNotPayable) }
      let kept = try StoreKitStore.keep(transaction, user: user, order: id, in: tx)
      guard kept.order == id else { throw Problem(.transactionMismatch, detail: "The transaction is already in use.") }
      if kept.isRevoked { return true }
      if try payments.find(.storekit, transaction.transactionId, in: tx) != nil { return false }
      guard order.status == .pendingPayment, order.paymentStatus != .paid else { throw Problem(.orderNotPayable) }
      guard order.stock == .none else {
        throw Problem(.transactionMismatch, detail: "Physical goods cannot be paid through StoreKit.")
      }
      guard transaction.money == Money(order.due, order.currency) else {
        throw Problem(.transactionMismatch, detail: "The price does not match the order.")
      }
      let payment = StoredPayment(
        id: newID,
        orderID: id,
        provider: .storekit,
        amount: Money(order.due, order.currency),
        reference: transaction.transactionId
      )
      try payments.insert(payment, token: nil, in: tx)
      try transitions.paid(payment, .succeeded(reference: transaction.transactionId), in: tx)
      try workflow.schedule(id, in: tx)
      return false
    }
    if isRevoked { throw Problem(.transactionRevoked) }
  }

  private func subscribe(_ transaction: StoreKitTransaction, _ user: UserID) async throws -> Subscription {
    guard transaction.appAccountToken?.lowercased() == user.rawValue else {
      throw Problem(.transactionMismatch, detail: "The appAccountToken does not match the user.")
    }
    guard let plan = plans.plan(storeKitProduct: transaction.productId) else {
      throw Problem(.transactionMismatch, detail: "The product is not a plan.")
    }
    let (subscription, isRevoked) = try await database.write { tx -> (Subscription, Bool) in
      let kept = try StoreKitStore.keep(transaction, user: user, order: nil, in: tx)
      guard kept.user == user, kept.order == nil else {
        throw Problem(.transactionMismatch, detail: "The transaction is already in use.")
      }
      let standing = try StoreKitStore.standing(of: transaction.originalTransactionId, in: tx)
      return (try plans.record(standing, .storekit, user: user, plan: plan.name, in: tx), kept.isRevoked)
    }
    if isRevoked { throw Problem(.transactionRevoked) }
    return subscription
  }

  // MARK: from Apple

  /// - Throws: ``Problem``; Apple sends the notification again after a 5xx status.
  func receive(_ body: RawBody, _ call: Call) async throws {
    struct Notification: Decodable { var signedPayload: SignedText }
    guard let verifier else { throw Problem(.providerNotAvailable) }
    // Only the member with the signed payload is decoded; all other members are ignored.
    guard let text = try? WireJSON.decode(Notification.self, from: body.bytes).signedPayload else {
      throw Problem(.webhookInvalid, detail: "The signedPayload is missing.")
    }
    let (notification, transaction) = try await proved(text, verifier)
    guard let transaction else { return }
    let order = try await database.write { tx -> OrderID? in
      guard try WebhookStore.insert(notification.notificationUUID, of: .storekit, in: tx) else { return nil }
      let kept = try StoreKitStore.keep(transaction, user: nil, order: nil, in: tx)
      if let plan = plans.plan(storeKitProduct: transaction.productId),
        let user = kept.user ?? Self.user(of: transaction)
      {
        let standing = try StoreKitStore.standing(of: transaction.originalTransactionId, in: tx)
        _ = try plans.record(standing, .storekit, user: user, plan: plan.name, in: tx)
      }
      guard let order = kept.order else { return nil }
      try follow(kept, order, in: tx)
      try workflow.schedule(order, in: tx)
      return order
    }
    guard let order else { return }
    do { try await workflow.advance(order) } catch {
      call.logger.warning("order processing failed", metadata: ["order": "\(order)", "error": "\(type(of: error))"])
    }
  }

  private func proved(_ text: SignedText, _ verifier: StoreKitVerifier) async throws
    -> (StoreKitNotification, StoreKitTransaction?)
  {
    do {
      let notification = try await verifier.verified(text, as: StoreKitNotification.self)
      guard let data = notification.data else { return (notification, nil) }
      try check(data.bundleId, data.environment)
      guard data.environment != "Production" || data.appAppleId == appID else {
        throw Problem(.transactionMismatch, detail: "The app's Apple ID does not match.")
      }
      guard let info = data.signedTransactionInfo, let signed = try? SignedText(validating: info) else {
        return (notification, nil)
      }
      return (notification, try await verified(signed))
    } catch let problem as Problem {
      let isForged = problem.is(.transactionInvalid) || problem.is(.transactionMismatch)
      throw isForged ? Problem(.webhookInvalid, detail: problem.detail) : problem
    }
  }

  private static func user(of transaction: StoreKitTransaction) -> UserID? {
    transaction.appAccountToken.flatMap { UserID($0) }
  }

  /// Applies Apple's state to an order: a revocation revokes its licenses and records the refund; a reversal restores
  /// them.
  private func follow(_ kept: StoreKitStore.Kept, _ id: OrderID, in tx: Transaction) throws {
    guard var order = try orders.find(id, in: tx), order.status == .placed else { return }
    if kept.isRevoked, order.paymentStatus == .paid || order.paymentStatus == .partiallyRefunded {
      try transitions.recordAppleRefund(&order, ids.make(), in: tx)
    } else if !kept.isRevoked, order.paymentStatus == .refunded {
      try transitions.recordAppleReversal(&order, ids.text(), in: tx)
    }
  }

  // MARK: privacy

  func erase(_ user: UserID, in tx: Transaction) throws { try StoreKitStore.erase(user, in: tx) }
}
