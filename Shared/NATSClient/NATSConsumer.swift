import Synchronization
import Threads

/// Pulls messages of a durable consumer, by a thread of its own. Several processes may pull from the same one.
public final class NATSConsumer: Sendable {
  private let client: NATSClient
  private let name: String
  private let stream: String
  private let thread = BlockingThreads(1, named: "nats-pull")
  private let subscription = Mutex<LinkSubscription?>(nil)

  /// - Parameter name: That of a consumer which exists, see ``NATSClient/ensure(_:of:)``.
  public init(_ name: String, of stream: String, _ client: NATSClient) {
    (self.name, self.stream, self.client) = (name, stream, client)
  }

  /// Takes what the stream has; when there is nothing, waits for the first message.
  ///
  /// - Parameters:
  ///   - limit: How many messages at most; one that is not settled in time is delivered again.
  ///   - seconds: How long to wait.
  /// - Returns: The messages in the order of the stream; empty when there were none.
  /// - Throws: ``NATSError``; `notFound` when the consumer or the stream does not exist. Calling again is always right.
  public func fetch(upTo limit: Int, seconds: Double = 2) async throws(NATSError) -> [NATSMessage] {
    try await client.perform(on: thread) { [self] link throws(NATSError) in
      do throws(NATSError) {
        let bound = try bind(to: link)
        return try bound.fetch(upTo: limit, milliseconds: Int64(seconds * 1000))
      } catch {
        subscription.withLock { $0 = nil }
        throw error
      }
    }
  }

  private func bind(to link: NATSLink) throws(NATSError) -> LinkSubscription {
    if let known = subscription.withLock({ $0 }), known.link === link { return known }
    let new = try link.pull(from: name, of: stream)
    subscription.withLock { $0 = new }
    return new
  }
}
