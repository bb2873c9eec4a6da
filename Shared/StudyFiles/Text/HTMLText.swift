/// The plain text of HTML, and the media it shows. Nothing of HTML survives in the text: tags are dropped, entities are
/// decoded, `<br>` and blocks become line breaks, white space collapses, no-break spaces become spaces, and the content
/// of scripts, styles and comments is left out.
struct HTMLText {
  private(set) var text = ""
  /// The names in `src` attributes and in Anki's `[sound:…]`, without duplicates. Addresses of other servers and
  /// embedded data are left out.
  private(set) var media: [String] = []
  private var names: Set<String> = []

  private static let blocks: Set<String> = [
    "address", "article", "aside", "blockquote", "center", "dd", "div", "dl", "dt", "figure", "footer", "form", "h1",
    "h2", "h3", "h4", "h5", "h6", "header", "hr", "li", "main", "ol", "p", "pre", "section", "table", "tr", "ul",
  ]

  init(_ html: [UInt8]) {
    var output: [UInt8] = []
    var hasSpace = false
    func addSpace() { if output.last.map({ $0 != 10 }) ?? false { hasSpace = true } }
    func add(_ bytes: some Sequence<UInt8>) {
      if hasSpace { output.append(32) }
      hasSpace = false
      output.append(contentsOf: bytes)
    }
    func addLine() {
      hasSpace = false
      output.append(10)
    }
    var offset = 0
    while offset < html.count {
      let byte = html[offset]
      switch byte {
      case UInt8(ascii: "<"):
        if html.has("<!--", at: offset) {
          offset = html.firstIndex(of: "-->", from: offset + 4).map { $0 + 3 } ?? html.count
        } else if let tag = HTMLTag(html, at: offset) {
          offset = tag.end
          if tag.name == "br" {
            addLine()
          } else if Self.blocks.contains(tag.name) {
            if let last = output.last, last != 10 { addLine() }
          } else if tag.name == "td" || tag.name == "th" {
            addSpace()
          } else if tag.name == "script" || tag.name == "style", !tag.isClosing {
            offset = Self.end(of: tag.name, in: html, from: offset)
          }
          if let source = tag.source { addMedia(source) }
        } else {
          add([byte])
          offset += 1
        }
      case UInt8(ascii: "["):
        if html.has("[sound:", at: offset),
          let end = html.firstIndex(of: UInt8(ascii: "]"), from: offset, upTo: offset + 1000)
        {
          addMedia(HTMLEntities.decode(Array(html[(offset + 7)..<end])))
          addSpace()
          offset = end + 1
        } else {
          add([byte])
          offset += 1
        }
      case UInt8(ascii: "&"):
        let (scalars, end) = HTMLEntities.decode(html, at: offset)
        for scalar in scalars.unicodeScalars {
          // A no-break space is a space that does not collapse.
          if scalar == "\u{A0}" { add([32]) } else { add(String(scalar).utf8) }
        }
        offset = end
      case 9, 10, 12, 13, 32:
        addSpace()
        offset += 1
      case 0xC2 where html.has("\u{A0}", at: offset):
        add([32])
        offset += 2
      default:
        let end = Self.plainEnd(html, from: offset)
        add(html[offset..<end])
        offset = end
      }
    }
    while output.last == 10 { output.removeLast() }
    if output.first == 10 { output.removeFirst(output.firstIndex { $0 != 10 } ?? output.count) }
    text = String(decoding: output, as: UTF8.self)
  }

  private static func plainEnd(_ html: [UInt8], from start: Int) -> Int {
    var offset = start + 1
    while offset < html.count {
      switch html[offset] {
      case UInt8(ascii: "<"), UInt8(ascii: "["), UInt8(ascii: "&"), 9, 10, 12, 13, 32, 0xC2: return offset
      default: offset += 1
      }
    }
    return offset
  }

  /// The offset at which the content of a script or style ends.
  private static func end(of name: String, in html: [UInt8], from start: Int) -> Int {
    var offset = start
    while let found = html.firstIndex(of: "</", from: offset) {
      offset = found + 2
      let end = min(offset + name.utf8.count, html.count)
      if String(decoding: html[offset..<end], as: UTF8.self).lowercased() == name {
        return html.firstIndex(of: UInt8(ascii: ">"), from: end).map { $0 + 1 } ?? html.count
      }
    }
    return html.count
  }

  private mutating func addMedia(_ name: String) {
    let name = name.trimmed
    guard media.count < 1000, !name.isEmpty, !name.contains("://"), !name.hasPrefix("data:"),
      names.insert(name).inserted
    else { return }
    media.append(name)
  }
}

/// A tag of HTML.
struct HTMLTag {
  let name: String
  let isClosing: Bool
  /// Its `src` attribute.
  private(set) var source: String?
  /// The offset behind the tag. A tag that is not closed extends to the end of the text.
  let end: Int

  /// - Returns: `nil` when there is text at the offset.
  init?(_ html: [UInt8], at start: Int) {
    func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) >= UInt8(ascii: "a") && (byte | 0x20) <= UInt8(ascii: "z") }
    func isSpace(_ byte: UInt8) -> Bool { byte == 32 || byte == 9 || byte == 10 || byte == 12 || byte == 13 }
    func isNamePart(_ byte: UInt8) -> Bool {
      !isSpace(byte) && byte != UInt8(ascii: ">") && byte != UInt8(ascii: "/") && byte != UInt8(ascii: "=")
    }
    var offset = start + 1
    isClosing = offset < html.count && html[offset] == UInt8(ascii: "/")
    if isClosing { offset += 1 }
    guard offset < html.count, isLetter(html[offset]) || html[offset] == UInt8(ascii: "!") else { return nil }
    let nameStart = offset
    while offset < html.count, isNamePart(html[offset]) { offset += 1 }
    name = String(decoding: html[nameStart..<offset], as: UTF8.self).lowercased()
    while true {
      while offset < html.count, isSpace(html[offset]) || html[offset] == UInt8(ascii: "/") { offset += 1 }
      guard offset < html.count, html[offset] != UInt8(ascii: ">") else { break }
      let attributeStart = offset
      // An equals sign where a name should begin is a part of the name.
      offset += 1
      while offset < html.count, isNamePart(html[offset]) { offset += 1 }
      let isSource =
        offset - attributeStart == 3
        && String(decoding: html[attributeStart..<offset], as: UTF8.self).lowercased() == "src"
      while offset < html.count, isSpace(html[offset]) { offset += 1 }
      guard offset < html.count, html[offset] == UInt8(ascii: "=") else { continue }
      offset += 1
      while offset < html.count, isSpace(html[offset]) { offset += 1 }
      guard offset < html.count else { break }
      let valueStart: Int
      let valueEnd: Int
      if html[offset] == UInt8(ascii: "\"") || html[offset] == UInt8(ascii: "'") {
        guard let close = html.firstIndex(of: html[offset], from: offset + 1) else {
          offset = html.count
          break
        }
        (valueStart, valueEnd) = (offset + 1, close)
        offset = close + 1
      } else {
        valueStart = offset
        while offset < html.count, !isSpace(html[offset]), html[offset] != UInt8(ascii: ">") { offset += 1 }
        valueEnd = offset
      }
      if isSource, source == nil { source = HTMLEntities.decode(Array(html[valueStart..<valueEnd])) }
    }
    end = min(offset + 1, html.count)
  }
}
