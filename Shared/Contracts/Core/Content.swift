/// A response that is not JSON, such as a page or a file: bytes with their media type.
public struct Content: Codable, Sendable, Equatable {
  /// Such as `text/html; charset=utf-8`.
  public var mediaType: String
  public var bytes: [UInt8]
  /// The name under which browsers save it, instead of showing it.
  public var name: String?
  /// The `Content-Security-Policy` of a page; without one, browsers load and run nothing.
  public var policy: String?
  /// The file that a server sends instead of `bytes`, piece by piece.
  public var file: TemporaryFile?

  private enum CodingKeys: CodingKey { case mediaType, bytes, name }

  public init(mediaType: String, bytes: [UInt8], name: String? = nil, policy: String? = nil) {
    (self.mediaType, self.bytes, self.name, self.policy) = (mediaType, bytes, name, policy)
  }

  public init(mediaType: String, file: TemporaryFile, name: String? = nil) {
    (self.mediaType, self.bytes, self.name, self.file) = (mediaType, [], name, file)
  }
}

/// The body of a request as it came, of any media type, for what is checked before it is read: a signature over the
/// bytes. Stands in the property `body` of an endpoint. It is empty where the body is received into a file
/// (``Operation/BodyFormats/file``).
public struct RawBody: Codable, Sendable, Equatable {
  public var bytes: [UInt8]
  public init(_ bytes: [UInt8]) { self.bytes = bytes }
}
