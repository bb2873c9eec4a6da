import Foundation
import Synchronization

extension NATSClient {
  /// The messages that arrive on a subject while there is a connection; they are not stored anywhere, so a subscriber
  /// has to find what was missed by other means. Ends with the task that reads it, or with the client.
  ///
  /// - Parameters:
  ///   - queue: Of all subscribers of the same queue, one receives each message.
  ///   - onConnect: Called when messages arrive from now on, at the first time and after each interruption.
  public func messages(
    on subject: String, queue: String? = nil, onConnect: @escaping @Sendable () -> Void = {}
  ) -> AsyncStream<NATSMessage> {
    let (stream, continuation) = AsyncStream.makeStream(of: NATSMessage.self, bufferingPolicy: .bufferingNewest(4096))
    let listener = Listener(client: self, subject: subject, queue: queue, onConnect: onConnect)
    continuation.onTermination = { _ in listener.end() }
    let thread = Thread {
      listener.run { continuation.yield($0) }
      continuation.finish()
    }
    thread.name = "nats-listen"
    thread.start()
    return stream
  }
}

/// The thread of a subscription.
private final class Listener: Sendable {
  private let client: NATSClient
  private let subject: String
  private let queue: String?
  private let onConnect: @Sendable () -> Void
  private let isEnded = Atomic<Bool>(false)

  /// How long it waits at once, in milliseconds; the end is noticed after at most so long.
  private static let pollMilliseconds: Int64 = 250

  init(client: NATSClient, subject: String, queue: String?, onConnect: @escaping @Sendable () -> Void) {
    (self.client, self.subject, self.queue, self.onConnect) = (client, subject, queue, onConnect)
  }

  func end() { isEnded.store(true, ordering: .releasing) }

  func run(_ receive: (NATSMessage) -> Void) {
    while !isEnded.load(ordering: .acquiring), client.state != .closed {
      do throws(NATSError) {
        try listen(receive)
      } catch {
        Thread.sleep(forTimeInterval: Double(Self.pollMilliseconds) / 1000)
      }
    }
  }

  private func listen(_ receive: (NATSMessage) -> Void) throws(NATSError) {
    let subscription = try client.link().subscribe(to: subject, queue: queue)
    var seen: Int?
    while !isEnded.load(ordering: .acquiring) {
      // The library subscribes again by itself.
      let reconnects = client.reconnects
      if seen != reconnects, client.state == .connected {
        seen = reconnects
        onConnect()
      }
      if let message = try subscription.next(milliseconds: Self.pollMilliseconds) { receive(message) }
    }
  }
}
