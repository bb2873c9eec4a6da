/// An element of the XML in which S3 answers: elements with either text or elements.
///
/// S3 uses no more of XML than this, and no document type, so that a parser of all of XML (FoundationXML brings
/// libxml2) would only add attack surface. Anything else is invalid.
struct S3Element: Equatable {
  var name: String
  var text = ""
  var children: [S3Element] = []

  /// The first child of a name.
  subscript(_ name: String) -> S3Element? { children.first { $0.name == name } }

  /// - Returns: The root; `nil` when the text is not valid.
  init?(_ bytes: [UInt8]) {
    var parser = Parser(rest: bytes[...])
    guard let root = parser.document() else { return nil }
    self = root
  }

  init(name: String) { self.name = name }

  private struct Parser {
    private static let maxDepth = 16

    var rest: ArraySlice<UInt8>

    mutating func document() -> S3Element? {
      if take("\u{FEFF}") {}
      skipSpace()
      if rest.starts(with: "<?".utf8) { guard skip(past: "?>") else { return nil } }
      skipSpace()
      guard take("<"), let root = element(depth: 0) else { return nil }
      skipSpace()
      return rest.isEmpty ? root : nil
    }

    /// The element after `<`.
    private mutating func element(depth: Int) -> S3Element? {
      guard depth < Self.maxDepth, let name = name() else { return nil }
      var element = S3Element(name: name)
      guard skipAttributes() else { return nil }
      if take("/>") { return element }
      guard take(">") else { return nil }
      while true {
        let text = rest.prefix { $0 != UInt8(ascii: "<") }
        guard let decoded = Self.decode(text) else { return nil }
        element.text += decoded
        rest = rest.dropFirst(text.count)
        if take("</") {
          guard self.name() == name else { return nil }
          skipSpace()
          guard take(">") else { return nil }
          if !element.children.isEmpty { element.text = "" }
          return element
        }
        guard take("<"), let child = self.element(depth: depth + 1) else { return nil }
        element.children.append(child)
      }
    }

    private mutating func name() -> String? {
      let name = rest.prefix { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: ":"),
          UInt8(ascii: "."):
          true
        default: false
        }
      }
      rest = rest.dropFirst(name.count)
      return name.isEmpty ? nil : String(decoding: name, as: UTF8.self)
    }

    /// Attributes are namespaces, and types of owners.
    private mutating func skipAttributes() -> Bool {
      while true {
        skipSpace()
        guard let first = rest.first else { return false }
        if first == UInt8(ascii: ">") || first == UInt8(ascii: "/") { return true }
        guard name() != nil else { return false }
        skipSpace()
        guard take("=") else { return false }
        skipSpace()
        if take("\"") {
          guard skip(past: "\"") else { return false }
        } else if take("'") {
          guard skip(past: "'") else { return false }
        } else {
          return false
        }
      }
    }

    private mutating func skipSpace() { rest = rest.drop { [0x20, 0x09, 0x0A, 0x0D].contains($0) } }

    private mutating func take(_ text: String) -> Bool {
      guard rest.starts(with: text.utf8) else { return false }
      rest = rest.dropFirst(text.utf8.count)
      return true
    }

    private mutating func skip(past text: String) -> Bool {
      while !rest.isEmpty {
        if take(text) { return true }
        rest = rest.dropFirst()
      }
      return false
    }

    /// Replaces the entities that need no document type.
    private static func decode(_ bytes: ArraySlice<UInt8>) -> String? {
      guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
      guard text.contains("&") else { return text }
      var pieces = text.split(separator: "&", omittingEmptySubsequences: false)[...]
      var decoded = String(pieces.removeFirst())
      for piece in pieces {
        guard let end = piece.firstIndex(of: ";"), let scalar = scalar(piece[..<end]) else { return nil }
        decoded.unicodeScalars.append(scalar)
        decoded += piece[piece.index(after: end)...]
      }
      return decoded
    }

    private static func scalar(_ entity: Substring) -> Unicode.Scalar? {
      switch entity {
      case "amp": "&"
      case "lt": "<"
      case "gt": ">"
      case "quot": "\""
      case "apos": "'"
      case _ where entity.hasPrefix("#x"): UInt32(entity.dropFirst(2), radix: 16).flatMap { Unicode.Scalar($0) }
      case _ where entity.hasPrefix("#"): UInt32(entity.dropFirst()).flatMap { Unicode.Scalar($0) }
      default: nil
      }
    }
  }
}
