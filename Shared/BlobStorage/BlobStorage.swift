/// Stores bytes by their SHA-256: equal content is stored once, and content never changes.
public protocol BlobStorage: Sendable {
  /// Stores a file; on return it survives a loss of power. It is never visible in part.
  ///
  /// - Parameters:
  ///   - path: A complete file. It may be moved, so that it does not exist afterwards; otherwise the caller removes it.
  ///   - hash: Of its content, which the caller has computed.
  /// - Throws: ``BlobStorageError``.
  func store(fileAt path: String, as hash: BlobHash) async throws

  /// How many bytes a blob has; `nil` when it is not stored.
  /// - Throws: ``BlobStorageError``.
  func size(of hash: BlobHash) async throws -> Int64?

  /// The source from which the content of a blob can be read.
  /// - Throws: ``BlobStorageError``, among others when it is not stored.
  func content(of hash: BlobHash) async throws -> BlobContent

  /// Removes a blob, if it is stored.
  /// - Throws: ``BlobStorageError``.
  func remove(_ hash: BlobHash) async throws

  /// All blobs in ascending order of their hashes, some at a time.
  ///
  /// - Parameter hash: The last one of the previous page.
  /// - Throws: ``BlobStorageError``.
  func list(after hash: BlobHash?, limit: Int) async throws -> [StoredBlob]

  /// Removes what was left by processes that ended while they stored a blob.
  ///
  /// - Parameter time: In a remote store, which cannot determine whether a process is still storing, only what was
  ///   begun before, in seconds since 1970.
  /// - Returns: How many there were.
  /// - Throws: ``BlobStorageError``.
  @discardableResult
  func removeUnfinished(before time: Int64) async throws -> Int
}

/// A blob in a list.
public struct StoredBlob: Sendable, Hashable {
  public let hash: BlobHash
  public let bytes: Int64

  public init(hash: BlobHash, bytes: Int64) { (self.hash, self.bytes) = (hash, bytes) }
}

/// The location of the bytes of a blob.
public enum BlobContent: Sendable {
  /// A file of this machine, which must not be changed.
  case file(path: String, bytes: Int64)
  /// An object that is read through a store's API, in ranges.
  case object(any RemoteBlob)

  public var bytes: Int64 {
    switch self {
    case .file(_, let bytes): bytes
    case .object(let blob): blob.bytes
    }
  }
}

/// A blob in a store that is reached over the network.
public protocol RemoteBlob: Sendable {
  var bytes: Int64 { get }

  /// The bytes of a range, chunk by chunk; nothing is requested before the first chunk is asked for, and no more than
  /// some hundred KiB ahead of the reader. Fails with ``BlobStorageError``.
  func read(_ range: Range<Int64>) -> AsyncThrowingStream<[UInt8], any Error>

  /// A URL by which anyone can load the content from the store.
  ///
  /// - Parameters:
  ///   - seconds: How long it is valid, from 1 to 604,800 (a week).
  ///   - contentType: Of the response.
  ///   - disposition: The field `Content-Disposition` of the response.
  func url(validFor seconds: Int, contentType: String?, disposition: String?) -> String
}

public enum BlobStorageError: Error, Equatable {
  case notFound
  /// The disk or the quota is full.
  case full
  /// The store is not reachable, or its answer makes no sense; the operation may be repeated.
  case unavailable(String)
  /// The store refuses the credentials or the operation.
  case refused(String)
  /// The content does not have its hash.
  case damaged
}
