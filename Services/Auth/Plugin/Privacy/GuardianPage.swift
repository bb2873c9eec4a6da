import Contracts
import Crypto
import Foundation
import ServiceKit

/// The page where a guardian decides: HTML without scripts. The buttons send forms, because programs that check e-mails
/// follow their links.
struct GuardianPage {
  private let title: String
  private let text: String
  private var token: GuardianToken?
  private var buttons: [(label: String, decision: GuardianDecision)] = []

  static func question(_ token: GuardianToken, _ state: GuardianRequest.State, username: String?) -> GuardianPage {
    let name = username.map { "the account \($0)" } ?? "an account"
    let text = "It is about \(name). \(GuardianMails.explanation)"
    switch state {
    case .asked:
      return GuardianPage(
        title: "Consent of a guardian", text: text, token: token,
        buttons: [("I am the guardian and consent", .consent), ("I do not consent", .refuse)])
    case .given:
      return GuardianPage(
        title: "You have consented", text: text, token: token, buttons: [("Withdraw the consent", .withdraw)])
    case .refused, .withdrawn:
      return GuardianPage(
        title: "You do not consent", text: text, token: token, buttons: [("I am the guardian and consent", .consent)])
    }
  }

  static func decided(_ state: GuardianStatus.State) -> GuardianPage {
    let text = "You can change your decision with the link in the e-mail."
    switch state {
    case .given, .notNeeded: return GuardianPage(title: "Thank you for your consent", text: text)
    case .needed, .asked, .refused, .withdrawn: return GuardianPage(title: "You do not consent", text: text)
    }
  }

  static let invalid = GuardianPage(title: "Link not valid", text: "The link is no longer valid.")

  var content: Content {
    Content(mediaType: "text/html; charset=utf-8", bytes: Array(html.utf8), policy: Self.policy)
  }

  /// Only fixed texts, a username and the token, whose characters are checked, are in it.
  private var html: String {
    let forms = buttons.map { button in
      """
      <form method="post" action="\(AuthAPI.SendGuardianForm.operation.path)">\
      <input type="hidden" name="token" value="\(token?.rawValue ?? "")">\
      <input type="hidden" name="decision" value="\(button.decision.rawValue)"><button>\(button.label)</button></form>
      """
    }
    return """
      <!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="robots" content="noindex">
      <meta name="referrer" content="no-referrer"><meta name="viewport" content="width=device-width">
      <title>\(title)</title><style>\(Self.style)</style></head>
      <body><main><h1>\(title)</h1><p>\(text)</p>\(forms.joined())</main></body></html>
      """
  }

  private static let style =
    "body{font:17px/1.5 system-ui,sans-serif;margin:0}main{max-width:40rem;margin:0 auto;padding:2rem 1rem}"
    + "button{font:inherit;padding:.5rem 1rem;margin:.5rem 0}"

  /// Allows this style and forms to this site, and nothing else.
  private static let policy: String = {
    let hash = Data(SHA256.hash(data: Data(style.utf8))).base64EncodedString()
    return "default-src 'none'; style-src 'sha256-\(hash)'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
  }()
}

/// The mails to guardians. They name the account by its username only.
enum GuardianMails {
  /// Mail programs make links of names with dots, such as `evil.example`.
  static func name(_ username: String?) -> String {
    guard let username else { return "an account" }
    return "the account \(username.replacing(".", with: "[.]"))"
  }

  static let explanation = """
    With your consent, its user can publish and share: listings, comments, messages, connections, a roommate profile, \
    videos, live streams, study sets and workouts, and others see the profile as far as its user allows it. Without it, \
    the account can be used, but shares nothing. The consent ends when you withdraw it, or when the user reaches the age \
    from which users decide themselves.
    """

  static func request(to guardian: EmailAddress, username: String?, link: String) -> MailMessage {
    MailMessage(
      to: guardian,
      subject: "Your consent is asked for",
      text: """
        Someone who is too young to decide alone has named you as a parent or guardian, for \
        \(name(username)).

        \(explanation)

        Decide on this page; the link is valid for 14 days:

        \(link)

        If you are not a parent or guardian, refuse there, or ignore this message.
        """
    )
  }

  static func confirmation(to guardian: EmailAddress, username: String?, link: String) -> MailMessage {
    MailMessage(
      to: guardian,
      subject: "You have consented",
      text: """
        You have consented as a parent or guardian, for \(name(username)).

        \(explanation)

        If it was not you, or to withdraw the consent at any time, use this page:

        \(link)
        """
    )
  }
}
