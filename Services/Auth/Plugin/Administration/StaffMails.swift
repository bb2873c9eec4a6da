import Contracts
import ServiceKit

/// The mails that notify users of changes that staff have made.
enum StaffMails {
  static func profileEdited(_ address: EmailAddress, fields: [String], reason: String) -> MailMessage {
    MailMessage(
      to: address,
      subject: "Your profile was changed by an administrator",
      text: """
        An administrator has changed your profile: \(fields.joined(separator: ", ")).

        The reason: \(reason)
        """
    )
  }

  static func accountDeleted(_ address: EmailAddress, reason: String) -> MailMessage {
    MailMessage(
      to: address,
      subject: "Your account was deleted by an administrator",
      text: """
        An administrator has deleted your account and what it contained.

        The reason: \(reason)
        """
    )
  }
}
