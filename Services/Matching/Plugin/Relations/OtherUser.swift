import Contracts
import Persistence
import PlatformRules
import ServiceKit

/// The user to whom a request refers, as far as the caller may see them. Someone who has blocked the
/// caller, or is blocked by the caller, is refused exactly as an unknown user.
struct OtherUser: Sendable {
  let id: UserID
  /// The name, when there is such a user and auth could be asked, or had been.
  let name: PublicName?
  private let isStale: Bool

  /// - Parameters:
  ///   - location: Where the request names the user.
  ///   - caller: Not a guest, see ``MatchingCore/member(_:_:)``.
  /// - Throws: ``Problem`` when the caller is the user.
  init(_ id: UserID, at location: String, for caller: UserID, _ names: PublicNames) async throws {
    try Self.refuse(caller, id, at: location)
    let found = await names.of([id])
    (self.id, name, isStale) = (id, found[id], found.isStale)
  }

  /// Refuses the caller as the other user.
  static func refuse(_ caller: UserID, _ other: UserID, at location: String) throws {
    guard caller != other else {
      throw Problem(.invalidRequest, errors: [.init(location: location, message: "must be another user")])
    }
  }

  /// - Throws: ``Problem`` unless the user exists and there is no block between the two.
  func requireVisible(to caller: UserID, in db: any Connection) throws {
    guard name != nil, try !BlockStore.exists(between: caller, and: id, in: db) else {
      throw isStale ? Problem(.unavailable, retryAfter: 2) : Problem(.userNotFound)
    }
  }
}
