/// A file of products; at most 5,000 rows.
public enum ProductFile: Sendable {
  case csv(String)
  case rows([JSONValue])
}

extension ProductFile: Codable, SchemaProviding {
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

  public static var schema: JSONSchema { JSONSchema() }
  public static var example: ProductFile { .rows([]) }
}

public struct ProductImportReport: Codable, Sendable, Equatable {
  public struct Rejection: Codable, Sendable, Equatable {
    /// The line where the row begins or, in JSON, the position of the item; counted from 1.
    public var line: Int
    public var errors: [String]
    public init(line: Int, errors: [String]) { (self.line, self.errors) = (line, errors) }
  }

  public var created: Int
  public var updated: Int
  public var rejected: [Rejection]
  public init(created: Int = 0, updated: Int = 0, rejected: [Rejection] = []) {
    (self.created, self.updated, self.rejected) = (created, updated, rejected)
  }
}
