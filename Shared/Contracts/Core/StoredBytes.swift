/// The response of an operation that sends stored bytes, as its caller receives it: the whole, or the part that a `Range`
/// header asks for (RFC 9110 §14).
public struct StoredBytes: Codable, Sendable, Equatable {
  public var mediaType: String
  public var bytes: [UInt8]
  /// The version of the whole, also when only a part was sent; what a caller sends in `If-Range` to get the rest of the
  /// same bytes.
  public var tag: EntityTag?

  public init(mediaType: String, bytes: [UInt8], tag: EntityTag? = nil) {
    (self.mediaType, self.bytes, self.tag) = (mediaType, bytes, tag)
  }
}
