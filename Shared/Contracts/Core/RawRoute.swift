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

  public var operation: Operation
  /// The media type of a successful response.
  public var mediaType: String
  public var headers: [Header]
  /// Optional query parameters that the route reads.
  public var query: [String]
  /// The media type of the body that the route reads; `nil` without one.
  public var bodyType: String?

  public init(
    _ operation: Operation, mediaType: String, headers: [Header] = [], query: [String] = [], bodyType: String? = nil
  ) {
    (self.operation, self.mediaType, self.headers, self.query) = (operation, mediaType, headers, query)
    self.bodyType = bodyType
  }
}
