import Foundation

/// Tokenization and the tolerance for typing errors of full-text search.
enum Words {
  /// Letters of a word; the rest of a longer one is ignored.
  private static let maxLength = 40

  /// The words of a text in order: letters and digits, with case and diacritics folded.
  static func all(in text: String) -> [String] {
    if text.utf8.allSatisfy({ $0 < 0x80 }) { return plain(text) }
    let folded = text.folding(options: [.caseInsensitive, .diacriticInsensitive, .widthInsensitive], locale: nil)
    return folded.split { !$0.isLetter && !$0.isNumber }.map { part in
      String(String.UnicodeScalarView(part.unicodeScalars.prefix(maxLength)))
    }
  }

  /// The same for ASCII, without Foundation's tables.
  private static func plain(_ text: String) -> [String] {
    var words: [String] = []
    var word: [UInt8] = []
    func end() {
      if !word.isEmpty { words.append(String(decoding: word.prefix(maxLength), as: UTF8.self)) }
      word.removeAll(keepingCapacity: true)
    }
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): word.append(byte)
      case UInt8(ascii: "A")...UInt8(ascii: "Z"): word.append(byte | 0x20)
      default: end()
      }
    }
    end()
    return words
  }

  /// The distinct words of a text in order.
  static func of(_ text: String) -> [String] {
    var seen: Set<String> = []
    return all(in: text).filter { seen.insert($0).inserted }
  }

  /// The tolerated typing errors by the letters of the word that is searched for: none up to four, one up to eight,
  /// otherwise two (the table of Meilisearch).
  static func typingErrors(in letters: Int) -> Int {
    switch letters {
    case ...4: 0
    case ...8: 1
    default: 2
    }
  }

  /// The exclusive upper bound of all texts with this beginning: UTF-8 never contains the byte 0xFF.
  static func end(of beginning: [UInt8]) -> [UInt8] { beginning + [0xFF] }
}
