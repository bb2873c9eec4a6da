/// Stores bytes by their SHA-256: equal content is stored once, and content never changes.
public protocol BlobStorage: Sendable {
  /// Stores a file unless its content is stored already; on return it survives a loss of power.
  ///
  /// - Parameters:
  ///   - path: A complete file. It may be moved, so that it does not exist afterwards.
  ///   - hash: Of its content, which the caller has computed.
  /// - Throws: ``BlobStorageError``.
  func store(fileAt path: String, as hash: BlobHash) async throws

  /// How many bytes a blob has; `nil` when it is not stored.
  /// - Throws: ``BlobStorageError``.
  func size(of hash: BlobHash) async throws -> Int64?

  /// Where the content of a blob can be read.
  /// - Throws: ``BlobStorageError``, among others when it is not stored.
  func content(of hash: BlobHash) async throws -> BlobContent

  /// Removes a blob, if it is stored.
  /// - Throws: ``BlobStorageError``.
  func remove(_ hash: BlobHash) async throws

  /// All blobs in ascending order of their hashes, some at a time.
  ///
  /// - Parameter hash: The last one of the previous page.
  /// - Throws: ``BlobStorageError``.
  func list(after hash: BlobHash?, limit: Int) async throws -> [BlobHash]
}

/// Where the bytes of a blob are.
public enum BlobContent: Sendable {
  /// A file of this machine, which must not be changed.
  case file(path: String, bytes: Int64)
  /// An object that is read through a store's API, in ranges.
  case object(any RemoteBlob)
}

/// A blob in a store that is reached over the network.
public protocol RemoteBlob: Sendable {
  var bytes: Int64 { get }

  /// The bytes of a range, chunk by chunk; nothing is requested before the first chunk is asked for.
  func read(_ range: Range<Int64>) -> AsyncThrowingStream<[UInt8], any Error>
}

/// The SHA-256 of a blob, as 64 lower-case hexadecimal digits.
public struct BlobHash: Sendable, Hashable, Comparable, CustomStringConvertible {
  public let description: String

  /// - Returns: `nil` unless the text is 64 lower-case hexadecimal digits.
  public init?(_ text: String) {
    let digits = UInt8(ascii: "0")...UInt8(ascii: "9"), letters = UInt8(ascii: "a")...UInt8(ascii: "f")
    guard text.utf8.count == 64, text.utf8.allSatisfy({ digits.contains($0) || letters.contains($0) }) else {
      return nil
    }
    description = text
  }

  public static func < (one: Self, other: Self) -> Bool { one.description < other.description }
}

public enum BlobStorageError: Error, Equatable {
  case notFound
  /// The disk or the quota is full.
  case full
  /// The store is not reachable, or its answer makes no sense; the operation may be repeated.
  case unavailable(String)
  /// The store refuses the credentials or the operation.
  case refused(String)
  /// The stored content does not have its hash.
  case damaged
}
