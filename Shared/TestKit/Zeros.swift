import Contracts
public import HTTPServing
public import NIOCore

/// Counts when it is released.
public final class Canary: Sendable {
  private let releases: Counter
  public init(_ releases: Counter) { self.releases = releases }
  deinit { releases.add() }
}

/// Zeros from elsewhere, made when they are read.
public struct Zeros: AsyncSequence, Sendable {
  /// The actions of readers.
  public struct Record: Sendable {
    public let bytes = Counter()
    /// Counts the releases of iterators.
    public let releases = Counter()
    public init() {}
  }

  public typealias Element = ByteBuffer
  public typealias Failure = any Error

  private let count: Int
  private let record: Record
  /// The offset at which reading fails.
  private let failsAt: Int

  struct Broken: Error {}

  public struct AsyncIterator: AsyncIteratorProtocol {
    fileprivate let zeros: Zeros
    fileprivate let canary: Canary
    fileprivate var next = 0

    public mutating func next() async throws -> ByteBuffer? {
      guard next < zeros.failsAt else { throw Broken() }
      let count = Swift.min(64 << 10, zeros.count - next)
      guard count > 0 else { return nil }
      next += count
      zeros.record.bytes.add(count)
      return ByteBuffer(repeating: 0, count: count)
    }
  }

  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(zeros: self, canary: Canary(record.releases)) }

  /// Content of that many zeros with the tag `"zeros"`.
  public static func content(_ length: Int, _ record: Record, failsAt: Int = .max) -> StoredContent {
    StoredContent(
      mediaType: "application/octet-stream", length: length, tag: EntityTag(digest: "zeros"),
      source: .remote { Zeros(count: $0.count, record: record, failsAt: failsAt) })
  }
}
