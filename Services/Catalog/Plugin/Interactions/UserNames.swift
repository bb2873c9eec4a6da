import Contracts
import Persistence
import PlatformRules
import ServiceKit

/// Keeps the names of authors and owners up to date.
struct UserNames: Feature {
  let names: PublicNames

  func register(in routes: inout Routes) {
    routes.on(UserChanged.self) { _, _ in
    } afterwards: { event in
      names.forget(event.userID)
    }
  }

  func erase(_ user: UserID, in tx: Transaction) throws { names.remove(user) }
}
