import Contracts
import ServiceKit

/// The texts of auth's mails. They carry the token by itself: each app has links of its own.
enum AuthMails {
  static func verification(of address: EmailAddress, token: String) -> MailMessage {
    MailMessage(
      to: address,
      subject: "Please confirm your e-mail address",
      text: """
        Please confirm that this is your e-mail address. Enter this code in the app; it is good for a day:

        \(token)

        If you did not ask for it, there is nothing you need to do.
        """
    )
  }

  static func reset(of address: EmailAddress, token: String) -> MailMessage {
    MailMessage(
      to: address,
      subject: "Set a new password",
      text: """
        Somebody, hopefully you, wants to set a new password for your account. Enter this code in the app; it is good \
        for ten minutes:

        \(token)

        If it was not you, there is nothing you need to do: your password stays as it is.
        """
    )
  }

  static func passwordChanged(_ address: EmailAddress) -> MailMessage {
    MailMessage(
      to: address,
      subject: "Your password was changed",
      text: """
        The password of your account was changed, and your other devices were logged out.

        If it was not you, set a new password at once with "forgot password" in the app.
        """
    )
  }

  static func changeRequested(_ address: EmailAddress) -> MailMessage {
    MailMessage(
      to: address,
      subject: "A new e-mail address for your account",
      text: """
        Somebody, hopefully you, wants to use another e-mail address for your account. It is changed once the new \
        address is confirmed.

        If it was not you, change your password.
        """
    )
  }
}
