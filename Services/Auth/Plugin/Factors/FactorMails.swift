import Contracts
import Persistence
import ServiceKit

/// Notifies users by mail of what happened to their second factors, so that they notice changes that they have
/// not made.
struct FactorMails: Sendable {
  let accounts: AccountStore
  let mailer: Mailer
  let keys: DataKeys

  /// The limit for notices of one kind, so that many of them do not keep back another kind.
  private static let limit = RateLimit(5, per: 86_400, pause: .untilOneIsForgotten)

  enum Occasion: String, Sendable {
    case totpAdded, totpRemoved, passkeyAdded, passkeyRemoved, passkeyDistrusted, recoveryCodesRenewed, recoveryCodeUsed
    case factorsReset, credentialsRemoved
    case identityLinked, identityRemoved

    fileprivate var subject: String {
      switch self {
      case .recoveryCodeUsed: "A recovery code of your account was used"
      case .passkeyDistrusted: "A passkey of your account was blocked"
      default: "The sign-in methods of your account were changed"
      }
    }

    fileprivate var sentence: String {
      switch self {
      case .totpAdded: "An authenticator app was added to your account."
      case .totpRemoved: "The authenticator app was removed from your account."
      case .passkeyAdded: "A passkey was added to your account."
      case .passkeyRemoved: "A passkey was removed from your account."
      case .passkeyDistrusted:
        "A passkey of your account is no longer accepted, because a copy of it seems to exist. Delete it and add a new one."
      case .recoveryCodesRenewed: "Your account has new recovery codes. The earlier ones no longer work."
      case .recoveryCodeUsed: "Someone, hopefully you, opened your account with a recovery code."
      case .identityLinked: "A sign-in provider, such as Google or Apple, was linked to your account."
      case .identityRemoved: "A sign-in provider was removed from your account."
      case .credentialsRemoved:
        """
        Sign-in methods that were added to your account after an unusual sign-in were removed: an authenticator app, passkeys, \
        recovery codes or sign-in providers. Add those again that were yours.
        """
      case .factorsReset: "Support has removed the second factors of your account."
      }
    }
  }

  /// Nothing happens when the account has no verified e-mail address, which may be someone else's, or when the user has got
  /// many mails of the kind.
  func send(_ occasion: Occasion, to user: UserID, in tx: Transaction) throws {
    guard let account = try accounts.find(user, in: tx)?.account, account.isEmailVerified, let email = account.email,
      let address = try? EmailAddress(validating: email),
      try StoredLimit(Self.limit, of: user.rawValue, for: "factor-mail-\(occasion.rawValue)", keys).take(in: tx) == nil
    else { return }
    let mail = MailMessage(
      to: address,
      subject: occasion.subject,
      text: """
        \(occasion.sentence)

        If it was not you, change your password and log out your other devices in the app.
        """
    )
    try mailer.send(mail, person: user, in: tx)
  }
}
