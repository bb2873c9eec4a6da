/// The fixed enumerations of the platform, with the words that people read.
public struct Enumerations: Codable, Sendable, Equatable {
  /// The language of the words, as a primary subtag of BCP 47.
  public var language: String
  /// Ordered by name.
  public var items: [Enumeration]
  public init(language: String, items: [Enumeration]) { (self.language, self.items) = (language, items) }
}

/// An enumeration of the contract.
public struct Enumeration: Codable, Sendable, Equatable {
  /// A value of the enumeration, and the word for it.
  public struct Choice: Codable, Sendable, Equatable {
    /// The value in requests and responses.
    public var value: String
    public var word: String
    public init(value: String, word: String) { (self.value, self.word) = (value, word) }
  }

  /// Such as `licenseKind`.
  public var name: String
  /// In the order of the contract.
  public var choices: [Choice]
  public init(name: String, choices: [Choice]) { (self.name, self.choices) = (name, choices) }
}
