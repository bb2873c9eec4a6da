import Contracts
import Crypto
import Foundation
import ServiceKit

/// A page behind a link in the newsletter's e-mails: HTML without scripts. The button sends a form, because programs that
/// check e-mails follow their links.
struct NewsletterPage {
  private let title: String
  private let text: String
  /// The label of the button, the target of the form, and the token that it contains.
  private var form: (button: String, path: String, token: NewsletterToken)?

  static func confirm(_ token: NewsletterToken) -> NewsletterPage {
    NewsletterPage(
      title: "Newsletter", text: "Do you want to receive our newsletter?",
      form: ("Confirm the subscription", CatalogAPI.SendConfirmationForm.operation.path.description, token))
  }

  static func unsubscribe(_ token: NewsletterToken) -> NewsletterPage {
    NewsletterPage(
      title: "Newsletter", text: "Do you no longer want to receive our newsletter?",
      form: ("Unsubscribe", CatalogAPI.SendUnsubscriptionForm.operation.path.description, token))
  }

  static let confirmed = NewsletterPage(title: "Subscribed", text: "You receive our newsletter from now on.")
  static let unsubscribed = NewsletterPage(title: "Unsubscribed", text: "You no longer receive our newsletter.")
  static let invalid = NewsletterPage(
    title: "Link not valid", text: "The link was used before or is no longer valid.")

  var content: Content {
    Content(mediaType: "text/html; charset=utf-8", bytes: Array(html.utf8), policy: Self.policy)
  }

  /// Only fixed texts and the token, whose characters are checked, are in it.
  private var html: String {
    let button = form.map { form in
      """
      <form method="post" action="\(form.path)"><input type="hidden" name="token" value="\(form.token.asAttribute)">
      <button>\(form.button)</button></form>
      """
    }
    return """
      <!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="robots" content="noindex">
      <meta name="viewport" content="width=device-width"><title>\(title)</title><style>\(Self.style)</style></head>
      <body><main><h1>\(title)</h1><p>\(text)</p>\(button ?? "")</main></body></html>
      """
  }

  private static let style =
    "body{font:17px/1.5 system-ui,sans-serif;margin:0}main{max-width:40rem;margin:0 auto;padding:2rem 1rem}"
    + "button{font:inherit;padding:.5rem 1rem}"

  /// Allows this style and forms to this site, and nothing else.
  private static let policy: String = {
    let hash = Data(SHA256.hash(data: Data(style.utf8))).base64EncodedString()
    return "default-src 'none'; style-src 'sha256-\(hash)'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
  }()
}

extension NewsletterToken {
  /// The token for an HTML attribute. Tokens that are valid consist of letters, digits and `-_.`; any other is left out,
  /// so that it stays invalid.
  fileprivate var asAttribute: String {
    let isPlain = rawValue.utf8.allSatisfy { byte in
      (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
        || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || "-_.".utf8.contains(byte)
    }
    return isPlain ? rawValue : "-"
  }
}
