import ServiceKit

/// Settings of sign-up, sign-in and the mails that prove addresses.
extension AuthSettings {
  static let unverifiedDays = Setting<Int>(
    "auth.unverifiedDays",
    default: 7,
    in: 1...3650,
    "Days after which an unverified e-mail address is removed from its account, and the account deleted if it has no "
      + "other way to sign in; three days before, the user is notified by mail; never without mail.url"
  )
  static let guestDays = Setting<Int>(
    "auth.guestDays",
    default: 90,
    in: 1...3650,
    "Days without use after which a guest account is deleted with everything that belongs to it, and an account with "
      + "only a username and a password that has never been used since its sign-up"
  )
  static let mailsPerHour = Setting<Int>(
    "auth.mailsPerHour",
    default: 20_000,
    in: 0...10_000_000,
    "Maximum number of e-mails per hour that prove addresses and reset passwords, to all recipients; 0 for no limit"
  )

  static let signIn: [any SettingDescription] = [unverifiedDays, guestDays, mailsPerHour]
}
