/// The text of a message. Line breaks are line feeds; other control characters except tabs are rejected. Characters that
/// are invisible or reorder what follows are removed, because they serve to deceive: direction overrides, embeddings and
/// isolates (U+202A–202E, U+2066–2069), the Arabic letter mark (U+061C), zero-width spaces, word joiners and byte order
/// marks. What emoji and languages need stays: joiners, direction marks, variation selectors. A text of which nothing is
/// seen is blank.
public struct MessageText: ValidatedString {
  public let rawValue: String
  public init(checked: String) { rawValue = checked }
  public static let rule = StringRule(
    length: 1...5000,
    pattern:
      #"^[^\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F]*[^\s\u0000-\u001F\u007F-\u009F\u00AD\u034F\u061C\u115F\u1160\u17B4\u17B5\u180B-\u180F\u200B-\u200F\u202A-\u202E\u2060-\u206F\u2800\u3164\uFE00-\uFE0F\uFEFF\uFFA0][^\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F]*$"#,
    example: "Is the room still free?",
    normalize: { needsCare($0) ? removingDeception($0) : $0 },
    violation: { text in
      if text.unicodeScalars.contains(where: { isControl($0) }) { return "must not contain control characters" }
      return text.unicodeScalars.allSatisfy(isBlank) ? "must not be blank" : nil
    }
  )

  /// Whether a text has a carriage return, or a character from U+0600 to U+063F, from U+2000 to U+2FFF or from U+F000 on;
  /// most have none.
  private static func needsCare(_ text: String) -> Bool {
    text.utf8.contains { $0 == 0x0D || $0 == 0xD8 || $0 == 0xE2 || $0 == 0xEF }
  }

  private static func removingDeception(_ text: String) -> String {
    var result = String.UnicodeScalarView()
    var follows = false
    for scalar in text.unicodeScalars where !isRemoved(scalar) {
      // "\r\n" and "\r" become "\n".
      if scalar == "\n", follows {
        follows = false
        continue
      }
      follows = scalar == "\r"
      result.append(follows ? "\n" : scalar)
    }
    return String(result)
  }

  private static func isRemoved(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x061C, 0x200B, 0x202A...0x202E, 0x2060...0x2069, 0xFEFF: true
    default: false
    }
  }

  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x09, 0x0A: false
    case 0..<0x20, 0x7F..<0xA0: true
    default: false
    }
  }

  /// Whether nothing of a character is seen when it stands alone.
  private static func isBlank(_ scalar: Unicode.Scalar) -> Bool {
    // The blank Braille pattern is a symbol in Unicode.
    scalar.properties.isWhitespace || scalar.properties.isDefaultIgnorableCodePoint || scalar.value == 0x2800
  }
}

/// A single emoji, with which a user reacts to a message.
public struct Emoji: ValidatedString {
  public let rawValue: String
  public init(checked: String) { rawValue = checked }
  public static let rule = StringRule(
    length: 1...16, example: "👍", violation: { isEmoji($0) ? nil : "must be one emoji" })

  private static func isEmoji(_ text: String) -> Bool {
    guard text.count == 1, let first = text.unicodeScalars.first else { return false }
    if first.isASCII {
      // A keycap, such as 1️⃣.
      return first.properties.isEmoji && text.unicodeScalars.dropFirst().map(\.value) == [0xFE0F, 0x20E3]
    }
    // A single regional indicator is a letter, not a flag.
    if isRegional(first) { return text.unicodeScalars.map(isRegional) == [true, true] }
    return isSequence(Substring(text).unicodeScalars)
  }

  /// Whether a text is one emoji or several with joiners between, without further marks, which are not seen.
  private static func isSequence(_ text: Substring.UnicodeScalarView) -> Bool {
    var rest = text
    var isShown = false
    repeat {
      guard let base = rest.popFirst(), !base.isASCII, base.properties.isEmoji, !isRegional(base) else { return false }
      // Shown as an emoji by default, or made one by U+FE0F.
      var isEmoji = base.properties.isEmojiPresentation
      if rest.first?.value == 0xFE0F {
        rest.removeFirst()
        isEmoji = true
      }
      if rest.first?.properties.isEmojiModifier == true {
        rest.removeFirst()
        isEmoji = true
      }
      // The flag of a region, such as that of Wales.
      if base == "🏴" {
        let tags = rest.prefix { (0xE0020...0xE007F).contains($0.value) }
        guard tags.isEmpty || tags.last?.value == 0xE007F else { return false }
        rest = rest.dropFirst(tags.count)
      }
      isShown = isShown || isEmoji
      if rest.isEmpty { return isShown }
    } while rest.popFirst()?.value == 0x200D
    return false
  }

  private static func isRegional(_ scalar: Unicode.Scalar) -> Bool { (0x1F1E6...0x1F1FF).contains(scalar.value) }
}
