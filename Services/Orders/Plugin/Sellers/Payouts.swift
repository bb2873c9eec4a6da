import Contracts
import Persistence
import ServiceKit

/// Pay-outs of earnings. A request holds the amount in the ledger; the owner pays it at a bank and records that here, or
/// rejects it, which releases the amount.
///
/// A refund in between takes earnings back although they are held, and may leave a part of the held amount without cover
/// (``Payout/shortfall``). The owner then rejects the pay-out, or pays it all the same: a payment that was made is always
/// booked, and what exceeds the earnings is the seller's debt, which later sales settle.
struct Payouts: Feature {
  let core: OrdersCore
  let store: PayoutStore
  let accounts: PayoutAccountStore
  /// The smallest amount, in minor units.
  let minimum: Int

  init(_ core: OrdersCore) throws {
    self.core = core
    store = PayoutStore(keys: core.dataKeys)
    accounts = PayoutAccountStore(keys: core.dataKeys)
    minimum = try core.settings[OrdersSettings.payoutMinimum]
  }

  func register(in routes: inout Routes) {
    routes.on(OrdersAPI.RequestPayout.self) { request, call in try await begin(request, call) }
    routes.on(OrdersAPI.ListPayouts.self) { request, call in
      try await list("seller_id = \(call.user.id)", request.page(by: PayoutID.self), staff: nil)
    }
    routes.on(OrdersAPI.ListAllPayouts.self) { request, call in
      let condition = SQL.and(request.status.map { "status = \($0)" })
      return try await list(condition, request.page(by: PayoutID.self), staff: call.auditActor)
    }
    routes.on(OrdersAPI.GetPayoutBankAccount.self) { request, call in try await bankAccount(request.id, call) }
    routes.on(OrdersAPI.PayPayout.self) { request, call in
      try await end(request.id, as: .paid, request.reference.rawValue, call)
    }
    routes.on(OrdersAPI.RejectPayout.self) { request, call in
      try await end(request.id, as: .rejected, request.reason.rawValue, call)
    }
  }

  // MARK: reading

  /// - Parameter staff: Who sees those of all sellers, and with shortfalls.
  private func list(_ condition: SQL, _ page: PageRequest<PayoutID>, staff: AuditActor?) async throws -> Page<Payout> {
    let showsShortfall = staff != nil
    return try await core.database.readAudited(by: staff) { db in
      let found = try page.fetch({ try store.list(condition, before: $0, limit: $1, in: db) }, key: \.id)
      let shortfalls = showsShortfall ? try PayoutStore.shortfalls(of: found.rows, in: db) : [:]
      return found.with(found.rows.map { $0.response(shortfall: shortfalls[$0.id]) })
    } as: {
      AuditedRead("payouts.viewed", object: "payouts", viewed: $0.items.map { "payout:\($0.id)" })
    }
  }

  private func bankAccount(_ id: PayoutID, _ call: Call) async throws -> BankAccount {
    try await core.database.write { tx in
      guard let payout = try store.find(id, in: tx) else { throw Problem(.payoutNotFound) }
      guard let account = payout.account else { throw Problem(.payoutAccountNotFound) }
      try tx.audit("payout.bank-account-viewed", object: payout.object, by: call.auditActor)
      return account
    }
  }

  // MARK: changing

  private func begin(_ request: OrdersAPI.RequestPayout, _ call: Call) async throws -> Payout {
    let (seller, amount) = (try call.user.id, Money(Int64(request.amount.value), request.currency))
    guard request.amount.value >= minimum else {
      throw Problem(.payoutTooSmall, detail: "The minimum is \(Money(Int64(minimum), request.currency)).")
    }
    let new: PayoutID = core.ids.make()
    let id = try await core.database.write { tx in
      // Only the id is kept for the key: the bank account is confidential.
      try tx.idempotent(call.idempotencyKey) {
        guard let account = try accounts.find(of: seller, in: tx) else { throw Problem(.payoutAccountNotFound) }
        let payout = StoredPayout(id: new, sellerID: seller, amount: amount, account: account, createdAt: tx.now)
        do { try LedgerStore.hold(payout.hold, amount, on: .earnings(seller), in: tx) } catch is LedgerStore
          .InsufficientFunds
        { throw Problem(.insufficientEarnings) }
        try store.insert(payout, in: tx)
        let change = AuditChange("amount", from: nil, to: amount.description)
        try tx.audit("payout.requested", object: payout.object, by: call.auditActor, changes: [change])
        try notify(payout, in: tx)
        return new
      }
    }
    return try await core.database.read { db in
      guard let payout = try store.find(id, in: db) else { throw Problem(.payoutNotFound) }
      return payout.response()
    }
  }

  /// Ends a pay-out; the same end again changes nothing.
  ///
  /// - Parameter text: The reference of the payment, or the reason of the rejection.
  private func end(_ id: PayoutID, as status: Payout.Status, _ text: String, _ call: Call) async throws -> Payout {
    try await core.database.write { tx in
      guard var payout = try store.find(id, in: tx) else { throw Problem(.payoutNotFound) }
      let isPaid = status == .paid
      guard payout.status == .requested else {
        guard payout.status == status, !isPaid || payout.reference == text else { throw Problem(.payoutEnded) }
        return payout.response()
      }
      if isPaid {
        guard try LedgerStore.postHold(payout.hold, to: .payouts, code: "payout", order: nil, in: tx) else {
          throw Problem(.payoutEnded)
        }
      } else {
        try release(payout, in: tx)
      }
      (payout.status, payout.endedAt) = (status, tx.now)
      (payout.reference, payout.reason) = isPaid ? (text, nil) : (nil, text)
      try PayoutStore.end(payout, in: tx)
      let change = AuditChange(isPaid ? "reference" : "reason", from: nil, to: text)
      try tx.audit("payout.\(status.rawValue)", object: payout.object, by: call.auditActor, changes: [change])
      try notify(payout, in: tx)
      return payout.response()
    }
  }

  /// Releases the amount of a rejected pay-out. Of a deleted account, only what is no longer covered can be rejected;
  /// the rest is due as another pay-out.
  private func release(_ payout: StoredPayout, in tx: Transaction) throws {
    guard payout.sellerID == nil, let account = try LedgerStore.account(ofHold: payout.hold, in: tx) else {
      return try LedgerStore.voidHold(payout.hold, in: tx)
    }
    guard let missing = try PayoutStore.shortfalls(of: [payout], in: tx)[payout.id] else {
      throw Problem(.payoutIsDue)
    }
    try LedgerStore.voidHold(payout.hold, in: tx)
    guard missing < payout.amount.amount else { return }
    let rest = Money(payout.amount.amount - missing, payout.amount.currency)
    let due = StoredPayout(id: core.ids.make(), sellerID: nil, amount: rest, account: payout.account, createdAt: tx.now)
    try LedgerStore.hold(due.hold, rest, on: account, in: tx)
    try store.insert(due, in: tx)
  }

  private func notify(_ payout: StoredPayout, in tx: Transaction) throws {
    guard let seller = payout.sellerID else { return }
    let data: JSONValue = ["payout": .string(payout.id.rawValue), "status": .string(payout.status.rawValue)]
    try tx.record(RealtimeEvent(to: seller, "payout.changed", data))
  }

  // MARK: privacy

  func export(_ user: UserID, in db: any Connection) throws -> [(section: String, content: JSONValue)] {
    let payouts = try store.list("seller_id = \(user)", before: nil, limit: 10_000, in: db)
    return [("payouts", try JSONValue(payouts.map { $0.response() }))]
  }

  /// Keeps the earnings of a deleted account due: all of them become a pay-out without the person's id, whatever the
  /// minimum, with the bank account until it is paid. Without a bank account it waits until the person asks for it; the
  /// ledger, which the law requires to stay as it is, still names the account.
  func erase(_ user: UserID, in tx: Transaction) throws {
    let account = try accounts.find(of: user, in: tx)
    for balance in try LedgerStore.balances(of: user, in: tx)
    where balance.kind == .earnings && balance.available.amount > 0 {
      let payout = StoredPayout(
        id: core.ids.make(), sellerID: nil, amount: balance.available, account: account, createdAt: tx.now)
      try LedgerStore.hold(payout.hold, payout.amount, on: .earnings(user), in: tx)
      try store.insert(payout, in: tx)
      let change = AuditChange("amount", from: nil, to: payout.amount.description)
      try tx.audit(
        "payout.requested", object: payout.object, by: AuditActor(OrderStore.service), changes: [change])
    }
    try PayoutAccountStore.delete(of: user, in: tx)
    try PayoutStore.erase(user, in: tx)
  }
}
