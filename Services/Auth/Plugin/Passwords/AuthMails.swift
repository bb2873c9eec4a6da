import Contracts
import ServiceKit

/// The texts of the auth service's mails. They contain the token instead of a link, because each app has its own links.
enum AuthMails {
  static func verification(of address: EmailAddress, token: String) -> MailMessage {
    MailMessage(
      to: address,
      subject: "Please confirm your e-mail address",
      text: """
        Please confirm that this is your e-mail address. Enter this code in the app; it is valid for 24 hours:

        \(token)

        If you did not request this, you can ignore this message.
        """
    )
  }

  /// - Parameter isDeleted: Whether the account is deleted with the address, because it could not be signed in to.
  static func unverified(_ address: EmailAddress, isDeleted: Bool) -> MailMessage {
    MailMessage(
      to: address,
      subject: isDeleted ? "Your account will be deleted" : "Your e-mail address will be removed",
      text: """
        This e-mail address was named for an account but not confirmed. In three days, \
        \(isDeleted ? "the account is deleted with everything in it" : "it is removed from the account").

        To keep it, sign in to the app, ask there for another code, and enter it. If the account is not yours, you can \
        ignore this message.
        """
    )
  }

  static func reset(of address: EmailAddress, token: String) -> MailMessage {
    MailMessage(
      to: address,
      subject: "Set a new password",
      text: """
        Someone, hopefully you, asked to set a new password for your account. Enter this code in the app; it is valid \
        for ten minutes:

        \(token)

        If it was not you, you can ignore this message: your password remains unchanged.
        """
    )
  }

  static func passwordChanged(_ address: EmailAddress) -> MailMessage {
    MailMessage(
      to: address,
      subject: "Your password was changed",
      text: """
        The password of your account was changed, and your other devices were logged out.

        If it was not you, set a new password immediately with "forgot password" in the app.
        """
    )
  }

  static func usernameChanged(_ address: EmailAddress) -> MailMessage {
    MailMessage(
      to: address,
      subject: "Your username was changed",
      text: """
        The username of your account was changed. No one else can take the old one for 30 days.

        If it was not you, set a new password immediately with "forgot password" in the app.
        """
    )
  }

  static func changeRequested(_ address: EmailAddress) -> MailMessage {
    MailMessage(
      to: address,
      subject: "Request to change your e-mail address",
      text: """
        Someone, hopefully you, asked to change the e-mail address of your account. The change takes effect once the \
        new address is confirmed.

        If it was not you, change your password.
        """
    )
  }
}
