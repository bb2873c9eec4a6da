import Contracts
import Crypto
import Foundation
import HTTPServing

/// The pages of links, in HTML without scripts, with what apps show of them (ogp.me, Twitter cards).
struct LinkPage: Sendable {
  /// The gateway's URL without a slash at the end.
  let publicURL: String
  let siteName: String
  /// The URL of an object in the app, with `{kind}` and `{id}`.
  let appLink: String?

  /// Scalars of a description.
  private static let maxDescription = 300

  /// - Parameter screen: Where the object is shown in the browser.
  func found(_ preview: LinkPreview, _ kind: String, _ id: String, screen: String?) -> String {
    let url = "\(publicURL)/s/\(kind)/\(id)"
    let description = preview.description.map(Self.shortened)
    let picture = preview.picture.map { "/v1/media/\($0)/thumbnail?width=1280&format=jpeg" }
    var tags = [
      property("og:site_name", siteName), property("og:type", preview.type.rawValue),
      property("og:title", preview.title), property("og:url", url),
      name("twitter:card", picture == nil ? "summary" : "summary_large_image"), name("twitter:title", preview.title),
    ]
    if let description {
      tags += [
        name("description", description), property("og:description", description),
        name("twitter:description", description),
      ]
    }
    if let picture {
      tags += [property("og:image", publicURL + picture), name("twitter:image", publicURL + picture)]
    }
    if let price = preview.price?.description.split(separator: " "), price.count == 2 {
      tags += [
        property("product:price:amount", String(price[0])), property("product:price:currency", String(price[1])),
      ]
    }
    if !preview.isIndexed { tags.append(name("robots", "noindex")) }
    tags.append("<link rel=\"canonical\" href=\"\(url.htmlEscaped)\">")
    let image = picture.map { "<img src=\"\($0.htmlEscaped)\" alt=\"\">" } ?? ""
    let app = appLink.map { $0.replacing("{kind}", with: kind).replacing("{id}", with: id) }
    let links = [(app, "Open in the app"), (screen, "Open in the browser")].map { address, text in
      address.map { "<p><a href=\"\($0.htmlEscaped)\">\(text)</a></p>" } ?? ""
    }
    return page(
      preview.title, tags,
      """
      \(image)<h1 dir="auto">\(preview.title.htmlEscaped)</h1>
      <p dir="auto">\((description ?? "").htmlEscaped)</p>\(links.joined())
      """)
  }

  var missing: String {
    page("Not found", [name("robots", "noindex")], "<h1>Not found</h1><p>The link leads to nothing that is public.</p>")
  }

  var unavailable: String {
    page("Try again", [name("robots", "noindex")], "<h1>Try again</h1><p>The page is temporarily unavailable.</p>")
  }

  private func page(_ title: String, _ tags: [String], _ body: String) -> String {
    """
    <!doctype html><html lang="en" prefix="og: https://ogp.me/ns#"><head><meta charset="utf-8">
    <meta name="viewport" content="width=device-width"><title>\(title.htmlEscaped)</title>
    \(tags.joined(separator: "\n"))
    <style>\(Self.style)</style></head><body><main>
    \(body)
    </main></body></html>
    """
  }

  private func property(_ property: String, _ content: String) -> String {
    "<meta property=\"\(property)\" content=\"\(content.htmlEscaped)\">"
  }

  private func name(_ name: String, _ content: String) -> String {
    "<meta name=\"\(name)\" content=\"\(content.htmlEscaped)\">"
  }

  /// One line, cut at a space if possible.
  private static func shortened(_ text: String) -> String {
    let line = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    guard line.unicodeScalars.count > maxDescription else { return line }
    // By scalars: a character can have any number of them.
    let start = String(String.UnicodeScalarView(line.unicodeScalars.prefix(maxDescription)))
    return (start.lastIndex(of: " ").map { String(start[..<$0]) } ?? start) + "…"
  }

  private static let style =
    "body{font:17px/1.5 system-ui,sans-serif;margin:0}main{max-width:40rem;margin:0 auto;padding:2rem 1rem}"
    + "img{max-width:100%;border-radius:8px}"

  /// Allows this style and the platform's pictures, and nothing else.
  static let policy: String = {
    let hash = Data(SHA256.hash(data: Data(style.utf8))).base64EncodedString()
    return "default-src 'none'; img-src 'self'; style-src 'sha256-\(hash)'; base-uri 'none'; form-action 'none'; "
      + "frame-ancestors 'none'"
  }()
}
