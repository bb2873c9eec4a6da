import Contracts
import Persistence
import ServiceKit

/// Limits guesses and mails. After a few failures, each further attempt has to wait twice as long as the previous one.
struct Throttle: Sendable {
  let database: any Database
  let keys: DataKeys

  private static let guesses = RateLimit(5, per: 9000, pause: .doubling)
  /// All users of a school or a company may share one address.
  private static let guessesPerAddress = RateLimit(50, per: 1500, pause: .doubling)
  /// Enough for normal use, too few to flood a mailbox.
  private static let mails = RateLimit(3, per: 5400, pause: .doubling)

  /// - Parameter purpose: Separates attempts that anyone can make from those that only the signed-in user can make.
  func account(_ name: String, for purpose: String) -> StoredLimit {
    StoredLimit(Self.guesses, of: name.lowercased(), for: "account-\(purpose)", keys)
  }

  func address(_ address: String?) -> StoredLimit {
    StoredLimit(Self.guessesPerAddress, of: ClientNetwork.of(address ?? "unknown"), for: "address", keys)
  }

  /// Mails of one kind per user or address.
  func mails(_ purpose: String, _ address: String) -> StoredLimit {
    StoredLimit(Self.mails, of: address, for: "mail-\(purpose)", keys)
  }

  /// Records an attempt before it is made, so that concurrent attempts cannot bypass the limits.
  /// - Throws: ``Problem`` 429 with the seconds to wait; the attempt is then not recorded at all.
  func recordAttempt(_ limits: [StoredLimit]) async throws {
    try await database.write { tx in
      for limit in limits { try limit.require(.tooManyAttempts, in: tx) }
    }
  }

  /// Resets the account's count after a success. For the address, only this attempt is undone; otherwise one valid
  /// account would allow unlimited guesses at others.
  static func reset(_ account: StoredLimit, _ address: StoredLimit, in tx: Transaction) throws {
    try account.reset(in: tx)
    try address.undo(in: tx)
  }
}
