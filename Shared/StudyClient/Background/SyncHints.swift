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
  private let device: StudyDeviceID

  /// - Parameters:
  ///   - device: The client's own, ``StudyClient/device``: what it has changed itself is no hint.
  ///   - open: Opens a stream of bytes at a path of the API, such as ``URLSessionStream/open(_:)``.
  public init(
    user: UserID, device: StudyDeviceID,
    open: @escaping @Sendable (_ target: String) async throws -> AsyncThrowingStream<[UInt8], any Error>
  ) { (self.user, self.device, lines) = (user, device, open) }

  public func connect() async throws -> AsyncThrowingStream<Void, any Error> {
    let bytes = try await lines("/v1/events?topics=sync:\(user.rawValue)")
    let (hints, continuation) = AsyncThrowingStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let task = Task { [self] in
      do {
        var parser = ServerSentEventParser()
        for try await portion in bytes {
          for event in try parser.read(portion) where isHint(event) { continuation.yield() }
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
  private func isHint(_ event: ServerSentEvent) -> Bool {
    switch event.name {
    case "topics", "resync": true
    case "changed":
      (try? WireJSON.decode(JSONValue.self, from: event.data.utf8, at: "data"))?["device"]?.string != device.rawValue
    default: false
    }
  }
}
