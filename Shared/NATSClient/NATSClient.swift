import Foundation
import Synchronization
import Threads

/// A connection to NATS that is made again whenever it is lost. What cannot be sent now fails at once, with a
/// ``NATSError``; the caller keeps it and tries again.
///
/// The library waits for the server; it is called by threads of this client only, never by those of Swift's tasks.
public final class NATSClient: Sendable {
  /// The state that ``NATSClient/state`` reports.
  public enum State: String, Sendable, Equatable { case connected, reconnecting, closed }

  private struct Links {
    var current: NATSLink?
    /// Reconnects of the links before the current one, and how often one was replaced.
    var reconnects = 0
    /// Until then, attempts fail at once.
    var pausedUntil: ContinuousClock.Instant?
    var lastFailure: NATSError?
    var isClosed = false
  }

  public let address: NATSAddress
  private let name: String
  private let links = Mutex(Links())
  /// Held by the thread that connects.
  private let connecting = Mutex<Void>(())
  private let publishers: BlockingThreads
  /// For what waits for a reply, so that services that do not answer hold up no messages of streams.
  private let requesters = BlockingThreads(4, named: "nats-request")
  /// For what never waits for the server for long, so that a slow stream does not hold it up.
  private let senders = BlockingThreads(2, named: "nats-send")

  private static let pause = Duration.seconds(1)

  /// - Parameters:
  ///   - name: What the server's monitoring shows.
  ///   - publishers: How many messages wait for an acknowledgment at the same time.
  public init(_ address: NATSAddress, name: String, publishers: Int = 8) {
    (self.address, self.name) = (address, name)
    self.publishers = BlockingThreads(publishers, named: "nats-publish")
  }

  // MARK: the connection

  /// Connects, so that a wrong address is found at the start. Later, every call connects when there is need.
  public func connect() async throws(NATSError) {
    try await perform(on: publishers) { _ throws(NATSError) in }
  }

  /// Whether there is a connection now.
  public var state: State {
    links.withLock { links in
      if links.isClosed { return .closed }
      return links.current?.isConnected == true ? .connected : .reconnecting
    }
  }

  /// How often the connection was lost and made again.
  public var reconnects: Int { links.withLock { $0.reconnects + ($0.current?.reconnects ?? 0) } }

  /// Ends the connection: calls that wait fail, subscriptions end.
  public func close() {
    let link = links.withLock { links in
      links.isClosed = true
      return links.current
    }
    // It may wait for a socket.
    if let link { Thread.detachNewThread { link.close() } }
  }

  /// The connection, made again when the library has given the last one up. Called by threads that may wait.
  func link() throws(NATSError) -> NATSLink {
    if let link = try usable() { return link }
    return try connecting.withLock { _ throws(NATSError) in
      // Another thread may have connected meanwhile.
      if let link = try usable() { return link }
      do throws(NATSError) {
        let link = try NATSLink(address, name: name)
        try links.withLock { links throws(NATSError) in
          guard !links.isClosed else { throw NATSError(.closed, "the client was closed") }
          if let old = links.current { links.reconnects += old.reconnects + 1 }
          (links.current, links.pausedUntil, links.lastFailure) = (link, nil, nil)
        }
        return link
      } catch {
        links.withLock { ($0.pausedUntil, $0.lastFailure) = (.now + Self.pause, error) }
        throw error
      }
    }
  }

  /// - Returns: `nil` when it is time to connect.
  private func usable() throws(NATSError) -> NATSLink? {
    try links.withLock { links throws(NATSError) in
      if links.isClosed { throw NATSError(.closed, "the client was closed") }
      if let link = links.current, !link.isClosed { return link }
      if let until = links.pausedUntil, let failure = links.lastFailure, until > .now { throw failure }
      return nil
    }
  }

  func perform<Value: Sendable>(
    on threads: BlockingThreads, _ body: @escaping @Sendable (NATSLink) throws(NATSError) -> Value
  ) async throws(NATSError) -> Value {
    do {
      return try await threads.run { try body(self.link()) }
    } catch let error as NATSError {
      throw error
    } catch {
      throw NATSError(.overloaded, "too many messages wait for NATS")
    }
  }

  // MARK: messages that are not stored

  /// Sends a message to the current subscribers of the subject.
  public func send(_ data: [UInt8], to subject: String) async throws(NATSError) {
    let message = NATSMessage(subject: subject, data: data, headers: [:])
    try await perform(on: senders) { link throws(NATSError) in try link.send(message) }
  }

  /// Sends a request on the subject, and waits for the reply of a responder.
  ///
  /// - Throws: ``NATSError`` `notFound` when the subject has no responders.
  public func request(_ data: [UInt8], to subject: String, seconds: Double = 5) async throws(NATSError) -> NATSMessage {
    let message = NATSMessage(subject: subject, data: data, headers: [:])
    return try await perform(on: requesters) { link throws(NATSError) in
      try link.request(message, milliseconds: Int64(seconds * 1000))
    }
  }

  // MARK: messages that a stream stores

  /// Publishes a message to the stream of its subject.
  ///
  /// - Parameters:
  ///   - id: A message of the same id within the stream's window is not stored again.
  ///   - seconds: How long to wait for the acknowledgment.
  /// - Throws: ``NATSError``; when ``NATSError/isUnknown``, the message may be stored: publish it again by the same id.
  public func publish(
    _ data: [UInt8], to subject: String, id: String, headers: [String: String] = [:], seconds: Double = 5
  ) async throws(NATSError) -> StreamAcknowledgment {
    var headers = headers
    headers[NATSMessage.idHeader] = id
    let message = NATSMessage(subject: subject, data: data, headers: headers)
    return try await perform(on: publishers) { link throws(NATSError) in
      try link.publish(message, milliseconds: Int64(seconds * 1000))
    }
  }

  /// Creates a stream, or changes one that differs.
  @discardableResult
  public func ensure(_ stream: StreamConfiguration) async throws(NATSError) -> StreamState {
    try await perform(on: requesters) { link throws(NATSError) in try link.ensure(stream) }
  }

  /// Creates a durable consumer that is pulled from, or changes one that differs.
  public func ensure(_ consumer: ConsumerConfiguration, of stream: String) async throws(NATSError) {
    try await perform(on: requesters) { link throws(NATSError) in try link.ensure(consumer, of: stream) }
  }

  /// - Throws: ``NATSError`` `notFound` when the stream does not exist.
  public func state(of stream: String) async throws(NATSError) -> StreamState {
    try await perform(on: requesters) { link throws(NATSError) in try link.state(of: stream) }
  }

  /// Acknowledges messages that the stream has delivered, or rejects them. Without a connection, nothing reaches the
  /// stream, and it delivers them again.
  public func settle(_ messages: [NATSMessage], _ outcome: DeliveryOutcome) async throws(NATSError) {
    let text = outcome.text
    let answers = messages.compactMap { message in
      message.reply.map { NATSMessage(subject: $0, data: Array(text.utf8), headers: [:]) }
    }
    try await perform(on: senders) { link throws(NATSError) in for answer in answers { try link.send(answer) } }
  }
}
