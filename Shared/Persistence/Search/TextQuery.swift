/// A query in a ``TextIndex``.
public struct TextQuery: Sendable {
  /// Words, all of which a document has. The last one may be the beginning of a word; another abbreviated word counts as
  /// one typing error. `nil` for all documents, the newest first.
  public var text: String?
  public var filter: TextFilter

  public init(_ text: String?, where filter: TextFilter = .all([])) { (self.text, self.filter) = (text, filter) }

  /// Words of a query; further ones are ignored.
  private static let maxWords = 8

  /// The words to find; `nil` for all documents.
  var matchers: [TypoMatcher]? {
    guard let text else { return nil }
    let words = Words.of(text).prefix(Self.maxWords)
    return words.enumerated().map { TypoMatcher($1, isLast: $0 == words.count - 1) }
  }
}

/// A condition on the values of documents.
public indirect enum TextFilter: Sendable {
  case value(String)
  /// Always met when empty.
  case all([TextFilter])
  /// Never met when empty.
  case any([TextFilter])
  case not(TextFilter)

  /// All of those conditions that are given.
  public static func given(_ values: String?...) -> TextFilter { .all(values.compactMap { $0.map { .value($0) } }) }

  var isAlwaysMet: Bool {
    switch self {
    case .value, .any: false
    case .all(let parts): parts.allSatisfy(\.isAlwaysMet)
    case .not(let part): part.isNeverMet
    }
  }

  private var isNeverMet: Bool {
    switch self {
    case .value: false
    case .all(let parts): parts.contains { $0.isNeverMet }
    case .any(let parts): parts.allSatisfy(\.isNeverMet)
    case .not(let part): part.isAlwaysMet
    }
  }

  func isMet(by values: Set<String>) -> Bool {
    switch self {
    case .value(let value): values.contains(value)
    case .all(let parts): parts.allSatisfy { $0.isMet(by: values) }
    case .any(let parts): parts.contains { $0.isMet(by: values) }
    case .not(let part): !part.isMet(by: values)
    }
  }

  var terms: [Term] {
    switch self {
    case .value(let value): [.value(value)]
    case .all(let parts), .any(let parts): parts.flatMap(\.terms)
    case .not(let part): [.everything] + part.terms
    }
  }

  /// The documents of a block that meet it; `nil` for all.
  func documents(_ block: PostingBlock) -> NumberSet? {
    switch self {
    case .value(let value): return block.union([.value(value)])
    case .all(let parts):
      return parts.reduce(nil as NumberSet?) { result, part in
        guard let next = part.documents(block) else { return result }
        return result?.intersection(next) ?? next
      }
    case .any(let parts):
      var result = NumberSet()
      for part in parts {
        guard let next = part.documents(block) else { return nil }
        result.formUnion(next)
      }
      return result
    case .not(let part):
      guard let excluded = part.documents(block) else { return NumberSet() }
      return block.union([.everything]).subtracting(excluded)
    }
  }
}
