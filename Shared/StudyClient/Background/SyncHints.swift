public import Contracts

/// Says when another device has changed something.
public protocol SyncHints: Sendable {
  /// A stream of hints that ends when it is disconnected; the caller connects again.
  func connect() async throws -> AsyncThrowingStream<Void, any Error>
}

/// The hints of the platform's event stream.
public struct EventStreamHints: SyncHints {
  private let lines: @Sendable (_ target: String) async throws -> AsyncThrowingStream<[UInt8], any Error>
  private let user: UserID

  /// - Parameter open: Opens a stream of bytes at a path of the API, such as ``URLSessionStream/open(_:)``.
  public init(
    user: UserID, open: @escaping @Sendable (_ target: String) async throws -> AsyncThrowingStream<[UInt8], any Error>
  ) { (self.user, lines) = (user, open) }

  public func connect() async throws -> AsyncThrowingStream<Void, any Error> {
    let bytes = try await lines("/v1/events?topics=sync:\(user.rawValue)")
    let (hints, continuation) = AsyncThrowingStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let task = Task {
      do {
        var parser = ServerSentEventParser()
        for try await portion in bytes {
          for event in try parser.read(portion) where Self.isHint(event) { continuation.yield() }
        }
        continuation.finish()
      } catch {
        continuation.finish(throwing: error)
      }
    }
    continuation.onTermination = { _ in task.cancel() }
    return hints
  }

  /// The event `topics` says that the stream is open: what was missed before is read then. `resync` says that events
  /// were missed.
  private static func isHint(_ event: ServerSentEvent) -> Bool { ["changed", "topics", "resync"].contains(event.name) }
}
