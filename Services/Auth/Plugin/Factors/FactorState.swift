import Contracts
import Persistence

/// The second factors that protect an account.
struct FactorState: Sendable, Equatable {
  /// Whether a sign-in needs a second step.
  var isProtected: Bool
  /// With what the second step can be made.
  var kinds: [FactorKind]

  init(of user: UserID, in db: any Connection) throws {
    let hasTOTP = try TOTPStore.since(user, in: db) != nil
    let passkeys = try PasskeyStore.count(of: user, in: db)
    isProtected = hasTOTP || passkeys.all > 0
    kinds = (hasTOTP ? [.totp] : []) + (passkeys.trusted > 0 ? [.passkey] : [])
    if isProtected, try RecoveryCodeStore.left(of: user, in: db) > 0 { kinds.append(.recoveryCode) }
  }

  /// Since when a user has had the factor that was set up first, of those that are accepted.
  static func oldest(of user: UserID, in db: any Connection) throws -> Timestamp? {
    try [TOTPStore.since(user, in: db), PasskeyStore.since(user, in: db)].compactMap { $0 }.min()
  }
}

/// The answer with which a user proves a second factor.
enum FactorAnswer: Sendable {
  case totp(OneTimeCode)
  case recoveryCode(RecoveryCode)
  case passkey(PasskeyAssertion)

  /// - Throws: ``Problem`` 422 unless there is exactly one, including the password.
  static func only(
    totp: OneTimeCode?, recoveryCode: RecoveryCode?, passkey: PasskeyAssertion?, password: String? = nil
  ) throws -> FactorAnswer? {
    let given: [FactorAnswer] = [
      totp.map { .totp($0) }, recoveryCode.map { .recoveryCode($0) }, passkey.map { .passkey($0) },
    ].compactMap { $0 }
    guard given.count + (password == nil ? 0 : 1) == 1 else {
      throw Problem(.invalidRequest, errors: [.init(location: "body", message: "must contain exactly one proof")])
    }
    return given.first
  }
}
