/// Text that satisfies a rule. Decoding anything else fails with the field's location, so code behind the contract only
/// sees valid values, and the OpenAPI document states the same rule.
public protocol ValidatedString: Codable, Hashable, Sendable, SchemaProviding, CustomStringConvertible {
  static var rule: StringRule { get }
  var rawValue: String { get }
  /// Creates a value from text that is known to satisfy `rule`.
  init(checked: String)
}

/// A rule for text: its length in Unicode scalars and its format.
public struct StringRule: Sendable {
  public var length: ClosedRange<Int>
  /// JSON Schema format, such as `email`.
  public var format: String?
  /// A regular expression (ECMA-262) of valid text, for the OpenAPI document.
  public var pattern: String?
  public var example: String
  /// Normalizes equivalent spellings before validation.
  public var normalize: @Sendable (String) -> String
  /// Returns what is invalid, or `nil` if the text is valid.
  public var violation: @Sendable (String) -> String?

  public init(
    length: ClosedRange<Int>, format: String? = nil, pattern: String? = nil, example: String,
    normalize: @escaping @Sendable (String) -> String = { $0 },
    violation: @escaping @Sendable (String) -> String? = { _ in nil }
  ) {
    (self.length, self.format, self.pattern, self.example) = (length, format, pattern, example)
    (self.normalize, self.violation) = (normalize, violation)
  }
}

extension ValidatedString {
  /// Normalizes and validates text.
  /// - Throws: ``ValueError`` that states what is invalid, with the location `path`.
  public init(validating text: String, at path: [any CodingKey] = []) throws(ValueError) {
    // Four bytes a scalar at most; twice that leaves room for what normalizing removes.
    guard text.utf8.count <= 8 * (Self.rule.length.upperBound + 64) else {
      throw ValueError(at: path, "must have at most \(Self.rule.length.upperBound) characters")
    }
    let normalized = Self.rule.normalize(text)
    let length = normalized.unicodeScalars.count
    guard Self.rule.length.contains(length) else {
      let range = Self.rule.length
      throw ValueError(at: path, "must have \(range.lowerBound) to \(range.upperBound) characters, has \(length)")
    }
    if let violation = Self.rule.violation(normalized) { throw ValueError(at: path, violation) }
    self.init(checked: normalized)
  }

  public init(from decoder: any Decoder) throws {
    let text = try decoder.singleValueContainer().decode(String.self)
    // The location is determined only after a failure: finding it costs time in long lists.
    do { try self.init(validating: text) } catch { throw ValueError(at: decoder.codingPath, error.message) }
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(rawValue)
  }

  public var description: String { rawValue }

  public static var schema: JSONSchema {
    var schema = JSONSchema.string(format: rule.format)
    schema.pattern = rule.pattern
    schema.minLength = rule.length.lowerBound
    schema.maxLength = rule.length.upperBound
    return schema
  }

  public static var example: Self { Self(checked: rule.example) }
}

/// A well-formed value that violates a rule; returned as a 422 problem with its location.
public struct ValueError: Error, Sendable {
  public var location: String
  public var message: String

  public init(location: String, message: String) { (self.location, self.message) = (location, message) }

  public init(at path: [any CodingKey], _ message: String) {
    self.init(location: describe(path), message: message)
  }
}

/// Formats a coding path as `body.items[3].tags`.
func describe(_ path: [any CodingKey]) -> String {
  path.reduce(into: "") { text, key in
    if let index = key.intValue {
      text += "[\(index)]"
    } else {
      text += text.isEmpty ? key.stringValue : "." + key.stringValue
    }
  }
}
