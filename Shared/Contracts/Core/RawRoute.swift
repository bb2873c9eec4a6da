/// A route whose response is not a value of the contract, such as a stream or a page.
public struct RawRoute: Sendable {
  public var operation: Operation
  /// The media type of a successful response.
  public var mediaType: String
  /// Optional header fields that the route reads.
  public var headers: [String]
  /// Optional query parameters that the route reads.
  public var query: [String]

  public init(_ operation: Operation, mediaType: String, headers: [String] = [], query: [String] = []) {
    (self.operation, self.mediaType, self.headers, self.query) = (operation, mediaType, headers, query)
  }
}
