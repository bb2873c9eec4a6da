import HTTPServing

/// HTML in which every interpolated text is escaped, so that no text of a description becomes markup.
struct HTML: ExpressibleByStringInterpolation {
  private(set) var text: String

  init(stringLiteral text: String) { self.text = text }
  init(stringInterpolation: StringInterpolation) { text = stringInterpolation.text }

  struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var text = ""

    init(literalCapacity: Int, interpolationCount: Int) { text.reserveCapacity(literalCapacity) }

    mutating func appendLiteral(_ literal: String) { text += literal }
    mutating func appendInterpolation(_ text: String) { self.text += text.htmlEscaped }
    mutating func appendInterpolation(_ number: Int) { text += String(number) }
    mutating func appendInterpolation(_ html: HTML?) { text += html?.text ?? "" }
    mutating func appendInterpolation(_ parts: [HTML]) { for part in parts { text += part.text } }

    /// A sentence in which `code` is quoted.
    mutating func appendInterpolation(prose text: String) {
      for (index, part) in text.split(separator: "`", omittingEmptySubsequences: false).enumerated() {
        let part = String(part).htmlEscaped
        self.text += index.isMultiple(of: 2) ? part : "<code>\(part)</code>"
      }
    }
  }
}
