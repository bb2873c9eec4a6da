import Contracts
import ServiceKit

/// The texts of catalog's emails. Those of the newsletter contain a link to a page, and the token for apps.
enum MessagingMails {
  static func newMessage(to owner: EmailAddress) -> MailMessage {
    // The content is left out, because it must stay encrypted.
    MailMessage(
      to: owner,
      subject: "A new contact message",
      text: "Someone sent you a message through the contact form. Sign in to read and answer it."
    )
  }

  static func answer(_ text: LongText, to message: ContactMessage, from owner: EmailAddress?) -> MailMessage {
    let quoted = message.message.rawValue.split(separator: "\n", omittingEmptySubsequences: false).map { "> \($0)" }
    return MailMessage(
      to: message.email,
      subject: "Re: \(message.subject)",
      text: "\(text)\n\nYou wrote:\n\n\(quoted.joined(separator: "\n"))\n",
      headers: owner.map { [.init("Reply-To", "<\($0)>")] } ?? []
    )
  }

  static func confirmation(of form: Subscriber, token: String, publicURL: String) -> MailMessage {
    MailMessage(
      to: form.email,
      subject: "Please confirm that you want our newsletter",
      text: """
        Someone, hopefully you, asked to receive our newsletter at this address.

        To confirm, open this page within 24 hours: <\(publicURL)/v1/newsletter/confirm?token=\(token)>

        Or enter this code in the app:

        \(token)

        If this was not you, ignore this email: without a confirmation, you will not receive the newsletter.
        """
    )
  }

  static func issue(_ issue: NewsletterIssue, to form: Subscriber, token: String, publicURL: String) -> MailMessage {
    let link = "\(publicURL)/v1/newsletter/unsubscribe?token=\(token)"
    return MailMessage(
      to: form.email,
      subject: issue.subject.rawValue,
      text: """
        Hello \(form.name),

        \(issue.text)

        --\u{20}
        You receive this email because you subscribed. To unsubscribe, use the button in your email program or \
        open this page: <\(link)>

        Or enter this code in the app:

        \(token)
        """,
      // RFC 2369 and RFC 8058: one-click unsubscribe in email programs.
      headers: [
        .init("List-Unsubscribe", "<\(link)>"),
        .init("List-Unsubscribe-Post", "List-Unsubscribe=One-Click"),
      ]
    )
  }
}
