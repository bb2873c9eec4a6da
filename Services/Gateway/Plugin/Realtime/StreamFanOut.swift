import Contracts
import Logging
import ServiceLifecycle
import Synchronization

/// A channel for messages between the gateways: Redis or NATS.
protocol GatewayChannel: Sendable {
  /// For the log.
  var name: String { get }

  /// Sends a message to every gateway, also to this one.
  func send(_ message: [UInt8]) async throws

  /// Receives messages until the process stops.
  ///
  /// - Parameters:
  ///   - onConnect: Called when messages arrive from now on; earlier ones may have been missed.
  ///   - onFailure: Called when there is no connection.
  func receive(
    onConnect: @escaping @Sendable () -> Void, onFailure: @escaping @Sendable () -> Void,
    _ message: @escaping @Sendable ([UInt8]) -> Void
  ) async
}

/// Notifies the other gateways that the shared log has new events, and passes them what is not stored. Messages are lost
/// while the channel is unavailable: gateways then find new events within a second, but no signals.
final class StreamFanOut: Service {
  /// The channel delivers each message to every gateway, including the one that sent it.
  private struct Message: Codable {
    var sender: String
    /// Unset when there are new events in the log.
    var signal: SignalsAPI.Send?
  }

  private struct Notice {
    var isUnderWay = false
    var isWanted = false
  }

  private let channel: any GatewayChannel
  private let id: String
  private let hub: StreamHub
  private let tail: EventTail
  private let logger: Logger
  private let notice = Mutex(Notice())

  /// - Parameter id: Names this process.
  init(_ channel: any GatewayChannel, id: String, hub: StreamHub, tail: EventTail, logger: Logger) {
    (self.channel, self.id, self.hub, self.tail, self.logger) = (channel, id, hub, tail, logger)
  }

  /// Announces new events in the log. Events that arrive while a message is being sent share the next one.
  func publish() {
    let isFirst = notice.withLock { notice in
      notice.isWanted = true
      defer { notice.isUnderWay = true }
      return !notice.isUnderWay
    }
    guard isFirst else { return }
    Task {
      while isWanted() { await send(Message(sender: id)) }
    }
  }

  private func isWanted() -> Bool {
    notice.withLock { notice in
      defer { notice.isWanted = false }
      notice.isUnderWay = notice.isWanted
      return notice.isWanted
    }
  }

  func publish(_ signal: SignalsAPI.Send) {
    Task { await send(Message(sender: id, signal: signal)) }
  }

  private func send(_ message: Message) async {
    do {
      try await channel.send(Array(try WireJSON.encode(message)))
    } catch {
      logger.warning("\(channel.name) is unavailable; other gateways are not notified")
    }
  }

  func run() async throws {
    await channel.receive(
      onConnect: { [tail] in tail.wake() },
      onFailure: { [logger, channel] in
        logger.warning("\(channel.name) is unavailable; no notifications from other gateways")
      }
    ) { [self] text in
      guard let message = try? WireJSON.decode(Message.self, from: text), message.sender != id else { return }
      if let signal = message.signal { hub.signal(signal) } else { tail.wake() }
    }
  }
}
