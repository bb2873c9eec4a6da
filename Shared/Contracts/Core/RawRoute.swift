/// A route whose request or response is not a value of the contract, such as a stream or a page.
public struct RawRoute: Sendable {
  /// A header field that a route reads; a literal is an optional text.
  public struct Header: Sendable, ExpressibleByStringLiteral {
    public var name: String
    public var schema: JSONSchema
    public var isRequired: Bool

    public init(_ name: String, _ schema: JSONSchema = .string(), isRequired: Bool = false) {
      (self.name, self.schema, self.isRequired) = (name, schema, isRequired)
    }

    public init(stringLiteral name: String) { self.init(name) }
  }

  /// A response that is neither the successful one nor a problem.
  public struct Answer: Sendable {
    public var status: Int
    public var description: String
    /// `nil` for a response without content.
    public var mediaType: String?

    public init(_ status: Int, _ description: String, mediaType: String? = nil) {
      (self.status, self.description, self.mediaType) = (status, description, mediaType)
    }

    public static let notModified = Answer(
      304, "Not modified since the response with the `ETag` in `If-None-Match`")
  }

  public var operation: Operation
  /// The media type of a successful response; `nil` for one without content.
  public var mediaType: String?
  /// Responses besides the successful one and problems, by their status.
  public var answers: [Answer]
  public var headers: [Header]
  /// Optional query parameters that the route reads.
  public var query: [String]
  /// The media type of the body that the route reads; `nil` without one.
  public var bodyType: String?

  public init(
    _ operation: Operation, mediaType: String? = nil, answers: [Answer] = [], headers: [Header] = [],
    query: [String] = [], bodyType: String? = nil
  ) {
    (self.operation, self.mediaType, self.answers) = (operation, mediaType, answers)
    (self.headers, self.query, self.bodyType) = (headers, query, bodyType)
  }
}
