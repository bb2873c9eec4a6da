/// An answer that is not JSON, such as a page or a file: bytes with their media type.
public struct Content: Codable, Sendable, Equatable {
  /// Such as `text/html; charset=utf-8`.
  public var mediaType: String
  public var bytes: [UInt8]

  public init(mediaType: String, bytes: [UInt8]) {
    self.mediaType = mediaType
    self.bytes = bytes
  }
}
