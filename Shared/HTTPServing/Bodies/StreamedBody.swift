import Contracts
import HTTPTypes
package import HummingbirdCore
import NIOCore
import Synchronization
import Timing

/// A request's body that is read while it arrives; what has not been read holds the sender back.
public struct StreamedBody: Sendable {
  /// The length that the request declares.
  public let length: Int?

  private let body: RequestBody
  private let limit: Int
  private let now: @Sendable () -> Double
  private let state = State()

  /// The least average speed, after a grace. Only waiting for the sender counts.
  private static let minBytesPerSecond = 8192.0
  private static let graceSeconds = 30.0

  private final class State: Sendable {
    let isComplete = Atomic(false)
  }

  /// - Parameter now: A monotonic clock, in seconds.
  package init(
    of request: Request, limit: Int, now: @escaping @Sendable () -> Double = { MonotonicClock.now() }
  ) throws {
    length = request.headers[.contentLength].flatMap { Int($0) }
    (body, self.limit, self.now) = (request.body, limit, now)
    try EndpointLimits.check(request, limit)
  }

  /// Whether the end has been read. A connection with an unread rest is closed after the response.
  public var isComplete: Bool { state.isComplete.load(ordering: .acquiring) }

  /// Reads the body piece by piece; there can be one reader.
  public struct Reader {
    private var pieces: RequestBody.AsyncIterator
    private let body: StreamedBody
    private var received = 0
    private var waited = 0.0

    fileprivate init(_ body: StreamedBody) { (pieces, self.body) = (body.body.makeAsyncIterator(), body) }

    /// Waits for the next piece, of at most some 64 KiB, and appends it.
    ///
    /// - Returns: `false` at the end of the body.
    /// - Throws: ``Contracts/Problem`` 400 when the connection was cut, 413 beyond the limit, 503 when the body
    ///   arrives too slowly; `CancellationError`.
    public mutating func append(to bytes: inout [UInt8]) async throws -> Bool {
      let start = body.now()
      guard let piece = try await pieces.next() else {
        // A canceled reader is at its end, too.
        try Task.checkCancellation()
        guard received >= body.length ?? 0 else { throw StrictHTTP1Handler.cut }
        body.state.isComplete.store(true, ordering: .releasing)
        return false
      }
      received += piece.readableBytes
      waited += body.now() - start
      guard received <= body.limit else { throw EndpointLimits.tooLarge(body.limit) }
      piece.withUnsafeReadableBytes { bytes.append(contentsOf: $0) }
      guard waited <= StreamedBody.graceSeconds + Double(received) / StreamedBody.minBytesPerSecond else {
        throw Problem(.overloaded, detail: "The body arrives too slowly.", retryAfter: 1)
      }
      return true
    }
  }

  public func makeReader() -> Reader { Reader(self) }
}
