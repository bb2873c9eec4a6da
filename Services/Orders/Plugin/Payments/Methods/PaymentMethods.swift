import Contracts
import Logging
import Persistence
import ServiceKit
import ServiceLifecycle

/// Saved payment methods of users. One is stored before its provider is asked, so that a durable job finishes what a
/// request has left behind.
struct PaymentMethods: Feature {
  let core: OrdersCore
  let setups: PaymentMethodSetups
  let cleanup: StripeCleanup

  private static let maxCount = 20
  /// The shortest time between two questions about one method, in seconds.
  private static let askSeconds = 3.0

  init(_ core: OrdersCore) throws {
    self.core = core
    cleanup = try StripeCleanup(core)
    setups = try PaymentMethodSetups(core, cleanup: cleanup)
  }

  func register(in routes: inout Routes) {
    routes.on(OrdersAPI.ListPaymentMethods.self) { _, call in
      let user = try call.user.id
      return Page(
        items: try await core.database.read { db in try core.methods.list(of: user, in: db).map(core.methods.response) }
      )
    }
    routes.on(OrdersAPI.AddPaymentMethod.self) { request, call in
      let (user, new) = (try call.user.id, core.ids.make() as PaymentMethodID)
      let id = try await insert(request, as: new, of: user, by: call)
      if id == new { await ask(id, call) } else { try await askAgain(id, of: user, call) }
      return try await response(id, of: user)
    }
    routes.on(OrdersAPI.RefreshPaymentMethod.self) { request, call in
      let user = try call.user.id
      try await askAgain(request.id, of: user, call)
      return try await response(request.id, of: user)
    }
    routes.on(OrdersAPI.DeletePaymentMethod.self) { request, call -> Void in
      try await delete(request.id, of: call.user.id, by: call.auditActor)
    }
  }

  /// Asks the provider for a method; it stays as it is if the provider does not respond.
  private func ask(_ id: PaymentMethodID, _ call: Call) async {
    do { try await setups.advance(id) } catch {
      call.logger.warning("setup pending", metadata: ["method": "\(id)", "error": "\(type(of: error))"])
    }
  }

  /// Asks the provider, unless it was asked again a moment ago.
  private func askAgain(_ id: PaymentMethodID, of user: UserID, _ call: Call) async throws {
    let isDue = try await core.database.write { tx in
      _ = try core.methods.get(id, of: user, in: tx)
      return try PaymentMethodStore.claimQuestion(id, every: Self.askSeconds, in: tx)
    }
    if isDue { await ask(id, call) }
  }

  private func response(_ id: PaymentMethodID, of user: UserID) async throws -> PaymentMethod {
    try await core.database.read { db in try core.methods.response(core.methods.get(id, of: user, in: db)) }
  }

  /// - Returns: The id of the method; of the one that the first request has added, if this is a repetition.
  private func insert(
    _ request: OrdersAPI.AddPaymentMethod, as id: PaymentMethodID, of user: UserID, by call: Call
  ) async throws -> PaymentMethodID {
    _ = try core.providers[request.provider]
    let needsSetup = request.provider == .stripe
    guard needsSetup || request.token != nil else {
      throw Problem(.invalidRequest, errors: [.init(location: "body.token", message: "is required")])
    }
    return try await core.database.write { tx in
      try tx.idempotent(call.idempotencyKey) {
        guard try core.methods.list(of: user, in: tx).count < Self.maxCount else {
          throw Problem(.tooManyPaymentMethods)
        }
        try core.attempts.begin(by: user, in: tx)
        let method = StoredMethod(
          id: id, userID: user, provider: request.provider, label: request.label.rawValue,
          state: needsSetup ? .pending : .ready, createdAt: tx.now)
        try core.methods.insert(method, token: request.token, in: tx)
        if needsSetup {
          try setups.schedule(method, afterSeconds: PaymentMethodSetups.handOverSeconds, in: tx)
        }
        try tx.audit("payment-method.added", object: "payment-method:\(id)", by: call.auditActor)
        return id
      }
    }
  }

  private func delete(_ id: PaymentMethodID, of user: UserID, by actor: AuditActor) async throws {
    try await core.database.write { tx in
      guard let method = try core.methods.find(id, in: tx), method.userID == user else { return }
      try PaymentMethodStore.delete(id, in: tx)
      if method.provider == .stripe { try cleanup.forget(method, core.methods.token(of: method), in: tx) }
      try tx.audit("payment-method.deleted", object: "payment-method:\(id)", by: actor)
    }
  }

  // MARK: providers

  /// Applies what a provider reports; a method that is not ours, or no longer, is ignored.
  func apply(_ change: ProviderMethodChange, in tx: Transaction) throws {
    switch change {
    case .setup(let id, let reference):
      let method = try core.methods.find(setup: reference, in: tx) ?? id.flatMap { try core.methods.find($0, in: tx) }
      // The event may be older than what is known: the job asks for the state of now.
      if let method, method.isOpen { try setups.schedule(method, in: tx) }
    case .updated(let token, let card): try core.methods.update(token, to: card, in: tx)
    case .detached(let token): try core.methods.delete(token, in: tx)
    }
  }

  var workers: [any Service] { [setups, cleanup] }

  // MARK: privacy

  func export(_ user: UserID, in db: any Connection) throws -> [(section: String, content: JSONValue)] {
    var methods = try core.methods.list(of: user, in: db).map(core.methods.response)
    for index in methods.indices { methods[index].clientSecret = nil }
    return [("paymentMethods", try JSONValue(methods))]
  }

  /// Stripe detaches the cards of a customer that is deleted.
  func erase(_ user: UserID, in tx: Transaction) throws {
    try PaymentMethodStore.delete(of: user, in: tx)
    try cleanup.forget(user, in: tx)
  }
}
