import Contracts
import Logging
import Persistence
import ServiceKit

/// Purchases through Apple, which the app submits and Apple reports. Every verified transaction is stored, whatever
/// becomes of it.
struct StoreKit: Feature {
  let core: OrdersCore
  let bundle: String?
  let appID: Int
  let acceptsSandbox: Bool
  let effects: StoreKitTransitions

  init(_ core: OrdersCore, plans: Plans) throws {
    self.core = core
    bundle = try core.settings[OrdersSettings.storeKitBundle]
    appID = try core.settings[OrdersSettings.storeKitAppID]
    acceptsSandbox = try core.settings[OrdersSettings.acceptsSandbox]
    effects = StoreKitTransitions(core, plans: plans)
  }

  func register(in routes: inout Routes) {
    routes.on(OrdersAPI.SubmitTransaction.self) { request, call in try await submit(request, by: call.user.id) }
    routes.on(OrdersAPI.ListUnmatchedPurchases.self) { request, call in
      try await unmatched(request, by: call.auditActor)
    }
  }

  // MARK: from the app

  private func submit(_ request: OrdersAPI.SubmitTransaction, by user: UserID) async throws -> StoreKitResult {
    let transaction = try await verified(request.signedTransaction)
    let claim = StoreKitTransitions.Claim(user: user, order: request.orderID)
    let outcome = try await record(transaction, claim: claim)
    if let problem = outcome.problem { throw problem }
    guard let order = outcome.order else { return StoreKitResult(subscription: outcome.subscription) }
    try await core.workflow.advance(order)
    return StoreKitResult(
      order: try await core.database.read { db in try core.view.one(order, in: db) }, credited: outcome.credited)
  }

  /// Stores a verified transaction, and applies it.
  func record(_ transaction: StoreKitTransaction, claim: StoreKitTransitions.Claim? = nil) async throws
    -> StoreKitTransitions.Outcome
  {
    let purchase = try transaction.purchase()
    return try await core.database.write { tx in
      try effects.record(purchase, token: transaction.appAccountToken, claim: claim, in: tx)
    }
  }

  func verified(_ text: SignedText) async throws -> StoreKitTransaction {
    guard let verifier = core.providers.storeKit else { throw Problem(.providerNotAvailable) }
    let transaction = try await verifier.verified(text, as: StoreKitTransaction.self)
    try check(transaction.bundleId, transaction.environment)
    return transaction
  }

  private func check(_ bundle: String, _ environment: String) throws(Problem) {
    guard bundle == self.bundle else { throw Problem(.transactionMismatch, detail: "The bundle ID does not match.") }
    guard acceptsSandbox || environment == "Production" else {
      throw Problem(.transactionMismatch, detail: "The transaction is from Apple's \(environment) environment.")
    }
  }

  // MARK: from Apple

  /// - Throws: ``Problem``; Apple sends the notification again after a 5xx status.
  func receive(_ body: RawBody, _ call: Call) async throws {
    struct Notification: Decodable { var signedPayload: SignedText }
    guard let verifier = core.providers.storeKit else { throw Problem(.providerNotAvailable) }
    // Only the member with the signed payload is decoded; all other members are ignored.
    guard let text = try? WireJSON.decode(Notification.self, from: body.bytes).signedPayload else {
      throw Problem(.webhookInvalid, detail: "The signedPayload is missing.")
    }
    let (notification, transaction, renewal) = try await proved(text, verifier)
    guard let transaction, !notification.changesNothing else { return }
    let (purchase, information) = (try transaction.purchase(), try renewal?.renewal())
    let order = try await core.database.write { tx -> OrderID? in
      guard try WebhookStore.insert(notification.notificationUUID, of: .storekit, in: tx) else { return nil }
      return try effects.record(purchase, token: transaction.appAccountToken, renewal: information, in: tx).order
    }
    guard let order else { return }
    do { try await core.workflow.advance(order) } catch {
      call.logger.warning("order processing failed", metadata: ["order": "\(order)", "error": "\(type(of: error))"])
    }
  }

  private func proved(_ text: SignedText, _ verifier: StoreKitVerifier) async throws
    -> (StoreKitNotification, StoreKitTransaction?, StoreKitRenewalInfo?)
  {
    do {
      let notification = try await verifier.verified(text, as: StoreKitNotification.self)
      guard let data = notification.data else { return (notification, nil, nil) }
      try check(data.bundleId, data.environment)
      guard data.environment != "Production" || data.appAppleId == appID else {
        throw Problem(.transactionMismatch, detail: "The app's Apple ID does not match.")
      }
      guard let info = data.signedTransactionInfo, let signed = try? SignedText(validating: info) else {
        return (notification, nil, nil)
      }
      let transaction = try await verified(signed)
      guard let info = data.signedRenewalInfo else { return (notification, transaction, nil) }
      let renewal = try await verifier.verified(SignedText(checked: info), as: StoreKitRenewalInfo.self)
      guard renewal.originalTransactionId == transaction.originalTransactionId,
        renewal.environment == transaction.environment
      else { throw Problem(.transactionMismatch, detail: "The renewal information is of another subscription.") }
      return (notification, transaction, renewal)
    } catch let problem as Problem {
      let isForged = problem.is(.transactionInvalid) || problem.is(.transactionMismatch)
      throw isForged ? Problem(.webhookInvalid, detail: problem.detail) : problem
    }
  }

  // MARK: for staff

  private func unmatched(_ request: OrdersAPI.ListUnmatchedPurchases, by staff: AuditActor) async throws
    -> Page<UnmatchedPurchase>
  {
    let page = try request.page(by: StoreKitStore.Cursor.self)
    return try await core.database.readAudited(by: staff) { db in
      let found = try page.fetch(
        { try StoreKitStore.unmatched(before: $0, limit: $1, in: db) }, key: { StoreKitStore.Cursor($0) })
      return found.with(found.rows.compactMap(\.response))
    } as: { _ in
      AuditedRead("unmatched-purchases.viewed", object: "unmatched-purchases")
    }
  }

  // MARK: privacy

  func export(_ user: UserID, in db: any Connection) throws -> [(section: String, content: JSONValue)] {
    struct Purchase: Encodable {
      var id, product: String
      var amount: Money?
      var orderID: OrderID?
      var purchasedAt: Timestamp
    }
    let purchases = try StoreKitStore.list(of: user, in: db).map {
      Purchase(
        id: $0.id, product: $0.state.product, amount: $0.money, orderID: $0.order, purchasedAt: $0.purchasedAt)
    }
    return [("storekitPurchases", try JSONValue(purchases))]
  }

  func erase(_ user: UserID, in tx: Transaction) throws { try StoreKitStore.erase(user, in: tx) }
}
