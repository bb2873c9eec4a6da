import Contracts
import ServiceKit

/// The texts of mails and notifications about sessions.
enum SessionMails {
  static func unusualSignIn(to address: EmailAddress, _ signIn: UnusualSignIn, token: String) -> MailMessage {
    MailMessage(
      to: address,
      subject: "New sign-in to your account",
      text: """
        Your account was signed in to by a device or from a network that it has not been used from before.

        Device: \(signIn.device ?? "unknown")
        Network: \(signIn.network ?? "unknown")
        Time: \(signIn.at)

        If it was you, there is nothing to do.

        If this was not you, enter this code in the app under "This was not me". It ends all sessions of the account, and \
        you are asked for a new password. The code is valid for 14 days and works once:

        \(token)
        """
    )
  }

  static func unusualSignIn(_ signIn: UnusualSignIn, token: String) -> Push {
    Push(
      title: "New sign-in to your account",
      text: "\(signIn.device ?? "An unknown device"). If this was not you, open the app to end all sessions.",
      data: ["signInReport": token]
    )
  }
}
