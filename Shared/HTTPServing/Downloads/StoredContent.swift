public import Contracts
public import NIOCore

/// Bytes that a service keeps, and how to send them: the answer of a handler of an endpoint whose response is a
/// ``Contracts/StoredBytes``, or of a raw route by ``HummingbirdCore/Response/stored(_:to:)``.
///
/// Ranges, conditions and HEAD are answered from it (RFC 9110 §13, §14). A response carries `nosniff` and a policy under
/// which a browser neither runs scripts in it nor loads anything for it. Nothing on its way may change its bytes
/// (`no-transform`), because the tag stands for them.
public struct StoredContent: Sendable {
  /// The source of the bytes.
  public enum Source: Sendable {
    case bytes([UInt8])
    /// A file that is not written any more. It may be removed while it is sent.
    ///
    /// - Parameter holding: What is kept until it has been sent.
    case file(path: String, holding: (any Sendable)? = nil)
    /// Bytes from elsewhere. The function is called once for each part that is sent, with a range of offsets, and must
    /// return exactly these bytes; releasing what it returns ends the transfer.
    case remote(@Sendable (Range<Int>) async throws -> any AsyncSequence<ByteBuffer, any Error> & Sendable)
  }

  /// The disposition of the content in browsers.
  public enum Disposition: Sendable, Equatable {
    /// Show it; the name is the suggestion when a user saves it.
    case inline(name: String? = nil)
    case attachment(name: String)
  }

  /// The caches that may keep a response, and for how many seconds without asking again; 0 is until the next use.
  public enum Caching: Sendable, Equatable {
    /// Also caches that several users share.
    case everyone(seconds: Int = 0)
    case caller(seconds: Int = 0)
    case nowhere
  }

  public var mediaType: String
  /// The number of bytes.
  public var length: Int
  /// A strong tag: other bytes have another one. Without it, only the whole is sent.
  public var tag: EntityTag?
  public var modifiedAt: Timestamp?
  public var disposition: Disposition
  public var caching: Caching
  /// The request headers that the choice of these bytes depends on, such as `Accept`.
  public var variesBy: [String]
  public var source: Source

  public init(
    mediaType: String, length: Int, tag: EntityTag?, modifiedAt: Timestamp? = nil,
    disposition: Disposition = .inline(), caching: Caching = .nowhere, variesBy: [String] = [], source: Source
  ) {
    (self.mediaType, self.length, self.tag, self.modifiedAt) = (mediaType, length, tag, modifiedAt)
    (self.disposition, self.caching, self.variesBy, self.source) = (disposition, caching, variesBy, source)
  }
}

extension EntityTag {
  /// The strong tag of content whose digest is known, such as its SHA-256.
  public init(digest: some StringProtocol) { self.init(version: nil, digest: digest) }
}
