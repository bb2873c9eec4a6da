/// The indexed content of a document: its words in order, by fields, and its values to filter by. Stored as bytes:
/// words separated by spaces, fields by line feeds, and the values after a NUL.
struct DocumentContent: Equatable, Sendable {
  /// Words of a document; further ones are ignored.
  private static let maxWords = 400
  /// Letters of the beginnings that have postings of their own.
  static let indexedBeginning = 3

  var fields: [[String]]
  var values: [String]

  init(_ fields: [String], values: [String]) {
    var rest = Self.maxWords
    self.fields = fields.map { field in
      let words = Array(Words.all(in: field).prefix(rest))
      rest -= words.count
      return words
    }
    self.values = values.filter { !$0.utf8.contains { $0 < 0x20 } }.sorted()
  }

  init(_ bytes: [UInt8]) {
    let parts = bytes.split(separator: 0, maxSplits: 1, omittingEmptySubsequences: false)
    func text(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }
    fields = (parts.first ?? []).split(separator: 0x0A, omittingEmptySubsequences: false)
      .map { $0.split(separator: 0x20).map(text) }
    values = parts.count > 1 ? parts[1].split(separator: 0x0A).map(text) : []
  }

  var bytes: [UInt8] {
    let text = fields.map { $0.joined(separator: " ") }.joined(separator: "\n")
    return Array(text.utf8) + [0] + Array(values.joined(separator: "\n").utf8)
  }

  var isEmpty: Bool { values.isEmpty && fields.allSatisfy(\.isEmpty) }

  /// The sets of documents to which it belongs.
  var terms: Set<Term> {
    var terms: Set<Term> = [.everything]
    for value in values { terms.insert(.value(value)) }
    for (index, field) in fields.enumerated() {
      for word in Set(field) {
        terms.insert(.word(word))
        // A single field needs no postings of its own.
        let isFirst = index == 0 && fields.count > 1
        if isFirst { terms.insert(.firstWord(word)) }
        let letters = Array(word.unicodeScalars.prefix(Self.indexedBeginning))
        var beginning = String.UnicodeScalarView()
        for letter in letters {
          beginning.append(letter)
          terms.insert(.beginning(String(beginning)))
          if isFirst { terms.insert(.firstBeginning(String(beginning))) }
        }
      }
    }
    return terms
  }
}

/// The name of a set of documents.
struct Term: Hashable, Sendable {
  let bytes: [UInt8]

  init(bytes: [UInt8]) { self.bytes = bytes }

  private init(_ mark: Unicode.Scalar, _ text: some Sequence<UInt8>) { bytes = [UInt8(ascii: mark)] + text }

  static let everything = Self("a", [])
  /// Documents with a word in any field.
  static func word(_ word: String) -> Self { Self("w", word.utf8) }
  static func word(_ word: [UInt8]) -> Self { Self("w", word) }
  /// Documents with a word in the first of several fields.
  static func firstWord(_ word: String) -> Self { Self("t", word.utf8) }
  static func firstWord(_ word: [UInt8]) -> Self { Self("t", word) }
  /// Documents with a word that begins with these letters.
  static func beginning(_ letters: String) -> Self { Self("p", letters.utf8) }
  static func beginning(_ letters: [UInt8]) -> Self { Self("p", letters) }
  static func firstBeginning(_ letters: String) -> Self { Self("q", letters.utf8) }
  static func firstBeginning(_ letters: [UInt8]) -> Self { Self("q", letters) }
  static func value(_ value: String) -> Self { Self("f", value.utf8) }

  /// The word whose documents it names.
  var word: ArraySlice<UInt8>? { bytes.first == UInt8(ascii: "w") ? bytes.dropFirst() : nil }
}
