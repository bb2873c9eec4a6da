/// The languages that a caller understands, from `Accept-Language` (RFC 9110 §12.5.4).
struct LanguagePreference: Equatable {
  /// Primary subtags in lower case, the preferred one first; `*` stands for any language.
  let languages: [String]

  /// Languages that are read; more are never sent by people.
  private static let maxCount = 32

  /// - Parameter text: Language ranges with qualities, such as `de-AT, en;q=0.8`; what is malformed is left out.
  init(_ text: String) {
    let ranges = text.split(separator: ",").prefix(Self.maxCount).compactMap { Self.range($0) }
    // The order decides between equal qualities.
    languages = ranges.enumerated()
      .sorted { ($1.element.quality, $0.offset) < ($0.element.quality, $1.offset) }
      .map(\.element.tag)
  }

  private static func range(_ text: Substring) -> (tag: String, quality: Double)? {
    let parts = text.split(separator: ";", omittingEmptySubsequences: false)
      .map { $0.filter { !$0.isWhitespace }.lowercased() }
    guard let tag = parts.first?.split(separator: "-").first else { return nil }
    let quality = parts.dropFirst().first { $0.hasPrefix("q=") }.map { Double($0.dropFirst(2)) } ?? 1
    guard let quality, (0.001...1).contains(quality) else { return nil }
    return (String(tag), quality)
  }

  /// The preferred one of the languages that are available; `nil` when it is any of them, or none.
  func best(of available: Set<String>) -> String? {
    languages.first { $0 == "*" || available.contains($0) }.flatMap { $0 == "*" ? nil : $0 }
  }
}
