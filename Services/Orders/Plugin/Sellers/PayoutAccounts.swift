import Contracts
import Persistence
import ServiceKit

/// The bank accounts to which sellers want to be paid. An IBAN has many digits, so that only the account's holder is
/// searched for card numbers.
struct PayoutAccounts: Feature {
  let core: OrdersCore
  let store: PayoutAccountStore

  init(_ core: OrdersCore) { (self.core, store) = (core, PayoutAccountStore(keys: core.dataKeys)) }

  func register(in routes: inout Routes) {
    routes.on(OrdersAPI.GetPayoutAccount.self) { _, call in
      let user = try call.user.id
      guard let account = try await core.database.read({ try store.find(of: user, in: $0) }) else {
        throw Problem(.payoutAccountNotFound)
      }
      return account.masked
    }
    routes.on(OrdersAPI.PutPayoutAccount.self) { request, call in try await put(request, call) }
  }

  private func put(_ request: OrdersAPI.PutPayoutAccount, _ call: Call) async throws -> PayoutAccount {
    let user = try call.user
    guard !user.roles.contains(.guest) else {
      throw Problem(.forbidden, detail: "Guests must sign up before they buy or sell.")
    }
    guard !CardNumbers.appear(in: Array(request.holder.rawValue.utf8)) else {
      throw Problem(.invalidRequest, errors: [.init(location: "body.holder", message: "contains a card number")])
    }
    let account = BankAccount(holder: request.holder, iban: request.iban)
    try await core.database.write { tx in
      let before = try store.find(of: user.id, in: tx)
      guard before != account else { return }
      try store.put(account, of: user.id, in: tx)
      let change = AuditChange.masked("account", hadValue: before != nil)
      try tx.audit("payout-account.changed", object: "user:\(user.id)", by: call.auditActor, changes: [change])
    }
    return account.masked
  }

  // MARK: privacy

  func export(_ user: UserID, in db: any Connection) throws -> [(section: String, content: JSONValue)] {
    guard let account = try store.find(of: user, in: db) else { return [] }
    return [("payoutAccount", try JSONValue(account))]
  }
}
