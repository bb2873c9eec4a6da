import Contracts
import Persistence
import ServiceKit

/// Keeps accounts and newsletter subscriptions in step: an account shows the subscription of its verified address, which
/// moves with the address, and those that its user asked for.
struct AccountSubscriptions: Sendable {
  let database: any Database
  let store: SubscriptionStore
  let auth: APIClient

  /// Gives the subscription of an address to the account that has verified it, and that of a user's verified address to
  /// the user, and reports to auth which of these accounts are subscribed. It is the present state and not the one when it
  /// was noticed, so the order of reports does not matter.
  func report(_ user: UserID?, and email: EmailAddress?) async throws {
    let request = AuthAPI.GetVerifiedAddresses(users: [user].compactMap(\.self), emails: [email].compactMap(\.self))
    let addresses = try await auth.send(request).items
    let changed = try await database.write { [store] tx in
      try addresses.reduce(into: Set<UserID>()) { changed, address in
        changed.formUnion(try store.assign(address.email, to: address.userID, in: tx))
      }
    }
    for account in changed.union(addresses.map(\.userID)).union([user].compactMap(\.self)) {
      let isSubscribed = try await database.read { [store] db in try store.isSubscribed(account, in: db) }
      _ = try await auth.send(AuthAPI.SetSubscribed(user: account, isSubscribed: isSubscribed))
    }
  }
}
