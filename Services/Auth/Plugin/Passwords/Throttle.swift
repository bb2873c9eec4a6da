import Contracts
import HTTPServing
import Persistence
import ServiceKit

/// Limits guesses and mails. After a few failures, each further attempt has to wait twice as long as the previous one.
struct Throttle: Sendable {
  let database: any Database
  let keys: DataKeys

  private static let guesses = RateLimit(5, per: 9000, pause: .doubling)
  /// From everywhere: more than a person mistypes, too few to guess (NIST SP 800-63B §5.2.2). Only someone who controls
  /// many networks uses them up, and even then a device that has signed in before does not wait.
  private static let guessesPerLogin = RateLimit(100, per: 86_400, pause: .doubling)
  /// All users of a school or a company may share one address.
  private static let guessesPerAddress = RateLimit(50, per: 1500, pause: .doubling)
  /// One customer of a provider may have all networks of a /56 or a /48 of IPv6, and would use up the guesses of a login
  /// (``guessesPerLogin``) alone.
  private static let guessesPerLoginAround = RateLimit(20, per: 9000, pause: .doubling)
  /// Other customers may be in the same /48, or in the same /24 of IPv4.
  private static let guessesAround = RateLimit(500, per: 1500, pause: .doubling)
  /// Requests for a reset are jobs, most of them for addresses without an account.
  private static let resetsPerAddress = RateLimit(60, per: 3600, pause: .untilOneIsForgotten)
  /// Enough for normal use, too few to flood a mailbox.
  private static let mails = RateLimit(3, per: 5400, pause: .doubling)

  /// The limits of one guess at a password.
  struct Guess: Sendable {
    /// The tightest, which a success resets.
    fileprivate let own: StoredLimit
    /// Shared with other callers: a success uncounts only itself. Otherwise one valid account would allow unlimited
    /// guesses at others, and its owner's sign-ins unlimited guesses at it.
    fileprivate let shared: [StoredLimit]
    /// The limits that count instead once those of a known device are used up: whoever has stolen its secret then guesses
    /// like others, and does not make the device wait.
    fileprivate var otherwise: (own: StoredLimit, shared: [StoredLimit])?

    func succeed(in tx: Transaction) throws {
      try own.reset(in: tx)
      for limit in shared { try limit.undo(in: tx) }
    }
  }

  /// A guess that anyone can make. What others guess hardly concerns the owner of the account: failures are counted by
  /// login and network, only loosely by login alone, and a known device has a count of its own.
  func guess(of login: String, from address: String?, on device: KnownDeviceStore.Device?) -> Guess {
    let (name, network) = (login.lowercased(), ClientNetwork.of(address ?? "unknown"))
    let unknown = Guess(
      own: StoredLimit(Self.guesses, of: "\(network) \(name)", for: "login-network", keys),
      shared: [around(name, address, "login"), StoredLimit(Self.guessesPerLogin, of: name, for: "login", keys)]
        + addresses(address)
    )
    return device.map { Self.guess(on: $0.hash, for: "known-device", otherwise: unknown, keys) } ?? unknown
  }

  /// A guess at a registered client's secret. It cannot be guessed, so failures are counted by network only: those from
  /// elsewhere do not stop the client.
  func guess(ofClient id: String, from address: String?) -> Guess {
    let network = ClientNetwork.of(address ?? "unknown")
    return Guess(
      own: StoredLimit(Self.guesses, of: "\(network) \(id.lowercased())", for: "client-network", keys),
      shared: addresses(address)
    )
  }

  /// A guess at the password of a signed-in user, counted by session: someone with a stolen session cannot stop the
  /// owner from changing the password.
  func guess(in session: SessionID, for purpose: String, from address: String?) -> Guess {
    Guess(own: account(session.rawValue, for: purpose), shared: addresses(address))
  }

  /// Records a guess before it is made.
  /// - Returns: The guess with the limits that it was counted by, which may succeed.
  @discardableResult
  func recordAttempt(_ guess: Guess) async throws -> Guess {
    try await database.write { tx in
      var counted = guess
      if let otherwise = guess.otherwise {
        if try guess.own.take(in: tx) == nil { return guess }
        counted = Guess(own: otherwise.own, shared: otherwise.shared)
      }
      for limit in [counted.own] + counted.shared { try limit.require(.tooManyAttempts, in: tx) }
      return counted
    }
  }

  private static func guess(on device: String, for purpose: String, otherwise: Guess, _ keys: DataKeys) -> Guess {
    Guess(
      own: StoredLimit(guesses, of: device, for: purpose, keys), shared: [],
      otherwise: (otherwise.own, otherwise.shared))
  }

  /// A guess at the code of a second factor by someone who knows the password. As with passwords, the owner of the account
  /// hardly notices what others guess from elsewhere.
  /// - Parameter device: The hash of a device that has signed in before.
  func guess(atFactorOf user: UserID, from address: String?, on device: String?) -> Guess {
    let unknown = Guess(
      own: ownFactor(user, address),
      shared: [around(user.rawValue, address, "factor"), loose(user, "factor")] + addresses(address))
    return device.map { Self.guess(on: $0, for: "known-device-factor", otherwise: unknown, keys) } ?? unknown
  }

  /// A guess at a recovery code, which has so many random bits that only the work is limited.
  func guess(atRecoveryCodeOf user: UserID, from address: String?) -> Guess {
    Guess(own: StoredLimit(Self.guesses, of: "\(network(address)) \(user)", for: "recovery-network", keys), shared: [])
  }

  /// A guess at the proof of a session, counted by session and only loosely by account.
  func guess(atProofOf user: UserID, in session: SessionID) -> Guess {
    Guess(own: account(session.rawValue, for: "proof"), shared: [loose(user, "proof")])
  }

  private func ownFactor(_ user: UserID, _ address: String?) -> StoredLimit {
    StoredLimit(Self.guesses, of: "\(network(address)) \(user)", for: "factor-network", keys)
  }

  private func loose(_ user: UserID, _ purpose: String) -> StoredLimit {
    StoredLimit(Self.guessesPerLogin, of: user.rawValue, for: purpose, keys)
  }

  private func network(_ address: String?) -> String { ClientNetwork.of(address ?? "unknown") }

  /// - Parameter purpose: Separates attempts that anyone can make from those that only the signed-in user can make.
  func account(_ name: String, for purpose: String) -> StoredLimit {
    StoredLimit(Self.guesses, of: name.lowercased(), for: "account-\(purpose)", keys)
  }

  func address(_ address: String?) -> StoredLimit {
    StoredLimit(Self.guessesPerAddress, of: ClientNetwork.of(address ?? "unknown"), for: "address", keys)
  }

  private func addresses(_ address: String?) -> [StoredLimit] {
    let around = ClientNetwork.around(address ?? "unknown")
    return [self.address(address), StoredLimit(Self.guessesAround, of: around, for: "addresses", keys)]
  }

  private func around(_ name: String, _ address: String?, _ purpose: String) -> StoredLimit {
    let around = ClientNetwork.around(address ?? "unknown")
    return StoredLimit(Self.guessesPerLoginAround, of: "\(around) \(name)", for: "\(purpose)-around", keys)
  }

  func resets(from address: String?) -> StoredLimit {
    StoredLimit(Self.resetsPerAddress, of: ClientNetwork.of(address ?? "unknown"), for: "resets", keys)
  }

  /// Mails of one kind at a user's request; those to one address are limited by ``MailLimits``.
  func mails(_ purpose: String, _ user: String) -> StoredLimit {
    StoredLimit(Self.mails, of: user, for: "mail-\(purpose)", keys)
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

  /// Forgets failed sign-ins to an account from everywhere, after its password was reset.
  func forget(_ account: Account, in tx: Transaction) throws {
    for name in [account.email, account.username].compactMap({ $0 }) {
      try StoredLimit(Self.guessesPerLogin, of: name.lowercased(), for: "login", keys).reset(in: tx)
    }
    try forgetFactors(of: account.id, in: tx)
  }

  /// Forgets failed attempts at an account's second factors from everywhere.
  func forgetFactors(of user: UserID, in tx: Transaction) throws {
    for purpose in ["factor", "proof"] { try loose(user, purpose).reset(in: tx) }
  }
}
