import Contracts
import ServiceKit

/// The texts of catalog's mails. Tokens stand by themselves: each app has links of its own.
enum LetterMails {
  static func newMessage(to owner: EmailAddress) -> MailMessage {
    // The content stays where it is encrypted.
    MailMessage(
      to: owner,
      subject: "A new contact message",
      text: "Somebody has written to you with the contact form. Sign in to read the message and to answer it."
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

  static func confirmation(of form: NewsletterForm, token: String) -> MailMessage {
    MailMessage(
      to: form.email,
      subject: "Please confirm that you want our newsletter",
      text: """
        Somebody, hopefully you, wants to get our newsletter at this address. Enter this code in the app; it is good for a \
        day:

        \(token)

        If it was not you, there is nothing you need to do: without the code, nothing is sent.
        """
    )
  }

  static func issue(_ issue: NewsletterIssue, to form: NewsletterForm, token: String, publicURL: String) -> MailMessage
  {
    MailMessage(
      to: form.email,
      subject: issue.subject.rawValue,
      text: """
        Hello \(form.name),

        \(issue.text)

        --\u{20}
        You get this because you subscribed. To stop it, use the button of your mail program, or enter this code in the app:

        \(token)
        """,
      // RFC 2369 and RFC 8058: mail programs unsubscribe with one click.
      headers: [
        .init("List-Unsubscribe", "<\(publicURL)/v1/newsletter/unsubscribe?token=\(token)>"),
        .init("List-Unsubscribe-Post", "List-Unsubscribe=One-Click"),
      ]
    )
  }
}
