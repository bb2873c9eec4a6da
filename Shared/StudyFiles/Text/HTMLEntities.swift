/// Character references of HTML.
enum HTMLEntities {
  private static let named: [String: String] = [
    "amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'", "nbsp": "\u{A0}", "ensp": "\u{2002}",
    "emsp": "\u{2003}", "thinsp": "\u{2009}", "zwnj": "\u{200C}", "zwj": "\u{200D}", "shy": "\u{AD}",
    "ndash": "–", "mdash": "—", "lsquo": "‘", "rsquo": "’", "sbquo": "‚", "ldquo": "“", "rdquo": "”", "bdquo": "„",
    "laquo": "«", "raquo": "»", "lsaquo": "‹", "rsaquo": "›", "hellip": "…", "bull": "•", "middot": "·",
    "copy": "©", "reg": "®", "trade": "™", "deg": "°", "micro": "µ", "para": "¶", "sect": "§", "dagger": "†",
    "plusmn": "±", "times": "×", "divide": "÷", "minus": "−", "frac12": "½", "frac14": "¼", "frac34": "¾",
    "sup1": "¹", "sup2": "²", "sup3": "³", "infin": "∞", "ne": "≠", "le": "≤", "ge": "≥", "asymp": "≈",
    "equiv": "≡", "radic": "√", "sum": "∑", "prod": "∏", "int": "∫", "part": "∂", "nabla": "∇", "isin": "∈",
    "notin": "∉", "sub": "⊂", "sup": "⊃", "cup": "∪", "cap": "∩", "and": "∧", "or": "∨", "not": "¬",
    "forall": "∀", "exist": "∃", "empty": "∅", "larr": "←", "uarr": "↑", "rarr": "→", "darr": "↓", "harr": "↔",
    "lArr": "⇐", "rArr": "⇒", "hArr": "⇔", "euro": "€", "pound": "£", "yen": "¥", "cent": "¢", "iexcl": "¡",
    "iquest": "¿", "szlig": "ß", "aelig": "æ", "AElig": "Æ", "oslash": "ø", "Oslash": "Ø", "ccedil": "ç",
    "Ccedil": "Ç", "ntilde": "ñ", "Ntilde": "Ñ", "oelig": "œ", "OElig": "Œ", "eth": "ð", "thorn": "þ",
    "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ε", "zeta": "ζ", "eta": "η", "theta": "θ",
    "iota": "ι", "kappa": "κ", "lambda": "λ", "mu": "μ", "nu": "ν", "xi": "ξ", "pi": "π", "rho": "ρ",
    "sigma": "σ", "tau": "τ", "phi": "φ", "chi": "χ", "psi": "ψ", "omega": "ω", "Gamma": "Γ", "Delta": "Δ",
    "Theta": "Θ", "Lambda": "Λ", "Xi": "Ξ", "Pi": "Π", "Sigma": "Σ", "Phi": "Φ", "Psi": "Ψ", "Omega": "Ω",
  ]

  /// Letters with marks, such as `eacute`, as combining characters.
  private static let marks: [String: Unicode.Scalar] = [
    "acute": "\u{301}", "grave": "\u{300}", "circ": "\u{302}", "uml": "\u{308}", "tilde": "\u{303}",
  ]

  /// Decodes the reference that begins at a `&`, or returns the `&`; and the offset behind it.
  static func decode(_ html: [UInt8], at start: Int) -> (text: String, end: Int) {
    let limit = min(html.count, start + 12)
    guard let semicolon = html.firstIndex(of: UInt8(ascii: ";"), from: start + 1, upTo: limit) else {
      return ("&", start + 1)
    }
    let name = String(decoding: html[(start + 1)..<semicolon], as: UTF8.self)
    guard let text = name.hasPrefix("#") ? numeric(name.dropFirst()) : named[name] ?? marked(name) else {
      return ("&", start + 1)
    }
    return (text, semicolon + 1)
  }

  /// Decodes all references of a text.
  static func decode(_ html: [UInt8]) -> String {
    guard html.firstIndex(of: UInt8(ascii: "&"), from: 0) != nil else { return String(decoding: html, as: UTF8.self) }
    var bytes: [UInt8] = []
    var offset = 0
    while offset < html.count {
      if html[offset] == UInt8(ascii: "&") {
        let (text, end) = decode(html, at: offset)
        bytes.append(contentsOf: text.utf8)
        offset = end
      } else {
        bytes.append(html[offset])
        offset += 1
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func numeric(_ digits: Substring) -> String? {
    let isHexadecimal = digits.hasPrefix("x") || digits.hasPrefix("X")
    guard let value = UInt32(isHexadecimal ? digits.dropFirst() : digits, radix: isHexadecimal ? 16 : 10) else {
      return nil
    }
    guard value != 0, let scalar = Unicode.Scalar(value) else { return "\u{FFFD}" }
    return String(scalar)
  }

  private static func marked(_ name: String) -> String? {
    guard let letter = name.unicodeScalars.first, letter.properties.isAlphabetic, letter.isASCII,
      let mark = marks[String(name.dropFirst())]
    else { return nil }
    let table: [Unicode.Scalar: String] = [
      "\u{301}": "ÁÉÍÓÚÝáéíóúý", "\u{300}": "ÀÈÌÒÙàèìòù", "\u{302}": "ÂÊÎÔÛâêîôû", "\u{308}": "ÄËÏÖÜŸäëïöüÿ",
      "\u{303}": "ÃÕãõ",
    ]
    let combined = String(String.UnicodeScalarView([letter, mark]))
    // Equal as characters, but composed.
    return table[mark]?.first { $0 == combined.first }.map(String.init)
  }

  /// A text as HTML that shows it: line breaks as `<br>`, and spaces that would collapse as no-break spaces.
  static func encode(_ text: String) -> String {
    var html = ""
    var previous: Unicode.Scalar = "\n"
    let scalars = text.unicodeScalars
    for index in scalars.indices {
      let scalar = scalars[index]
      switch scalar {
      case "&": html += "&amp;"
      case "<": html += "&lt;"
      case ">": html += "&gt;"
      case "\"": html += "&quot;"
      // Not the beginning of a reference to a sound.
      case "[": html += "&#91;"
      case "\n" where previous == "\r": break
      case "\n", "\r": html += "<br>"
      case " ":
        let next = scalars.index(after: index)
        let isLast = next == scalars.endIndex || isBreak(scalars[next])
        html += isLast || previous == " " || isBreak(previous) ? "&nbsp;" : " "
      case "\t": html += "&#9;"
      default: html.unicodeScalars.append(scalar)
      }
      previous = scalar
    }
    return html
  }

  private static func isBreak(_ scalar: Unicode.Scalar) -> Bool { scalar == "\n" || scalar == "\r" }
}
