/// A response that is not JSON, such as a page or a file: bytes with their media type.
public struct Content: Codable, Sendable, Equatable {
  /// Such as `text/html; charset=utf-8`.
  public var mediaType: String
  public var bytes: [UInt8]

  public init(mediaType: String, bytes: [UInt8]) { (self.mediaType, self.bytes) = (mediaType, bytes) }
}

/// The body of a request as it came, of any media type, for what is checked before it is read: a signature over the
/// bytes. Stands in the property `body` of an endpoint.
public struct RawBody: Codable, Sendable, Equatable {
  public var bytes: [UInt8]
  public init(_ bytes: [UInt8]) { self.bytes = bytes }
}
