/// A file of rows to import; at most 5,000.
public enum ImportFile: Sendable {
  case csv(String)
  case rows([JSONValue])
}

extension ImportFile: Codable, SchemaProviding {
  public init(from decoder: any Decoder) throws {
    switch try JSONValue(from: decoder) {
    case .string(let text): self = .csv(text)
    case .array(let rows): self = .rows(rows)
    default: throw ValueError(at: decoder.codingPath, "must be an array or CSV text")
    }
  }

  public func encode(to encoder: any Encoder) throws {
    switch self {
    case .csv(let text): try JSONValue.string(text).encode(to: encoder)
    case .rows(let rows): try JSONValue.array(rows).encode(to: encoder)
    }
  }

  public static var schema: JSONSchema {
    var schema = JSONSchema()
    schema.example = .array([])
    return schema
  }
  public static var example: ImportFile { .rows([]) }
}

/// The outcome of an import, by the rows of the file.
public struct ImportReport: Codable, Sendable, Equatable {
  /// A row that was not imported, and why.
  public struct Rejection: Codable, Sendable, Equatable {
    /// The line where the row begins or, in JSON, the position of the item; counted from 1.
    public var line: Int
    /// Each names a column, such as `price.amount must not be negative`.
    public var errors: [String]
    public init(line: Int, errors: [String]) { (self.line, self.errors) = (line, errors) }
  }

  /// Products or posts that did not exist.
  public var created: Int
  public var updated: Int
  /// The number of rows that are as in an earlier import.
  public var unchanged: Int
  public var rejected: [Rejection]
  public init(created: Int = 0, updated: Int = 0, unchanged: Int = 0, rejected: [Rejection] = []) {
    (self.created, self.updated, self.unchanged, self.rejected) = (created, updated, unchanged, rejected)
  }
}

/// The identifier of an imported product or post in the system that it comes from: printable ASCII without spaces.
public struct SourceID: ValidatedString {
  public let rawValue: String
  public init(checked: String) { rawValue = checked }
  public static let rule = StringRule(
    length: 1...120,
    pattern: "^[!-~]{1,120}$",
    example: "blog-2019-04",
    violation: { text in
      text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F } ? nil : "must be printable ASCII without spaces"
    }
  )
}
