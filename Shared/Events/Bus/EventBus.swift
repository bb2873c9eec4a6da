package import Contracts
import Logging
package import NATSClient
package import Observability
import Persistence
import Synchronization

/// A process's connection to NATS, which its services share.
package final class EventBus: Sendable {
  package let client: NATSClient
  private let replicas: Int
  private let isReady = Atomic<Bool>(false)
  let published: Metrics.Counter
  let received: Metrics.Counter
  let replayed: Metrics.Counter

  /// How long the stream stores events, in seconds; the outbox has those that a consumer misses.
  private static let storedSeconds = Outbox.retentionSeconds
  /// How long the stream remembers ids, in seconds; consumers remember them for longer.
  private static let duplicateSeconds = 120.0

  package init(_ address: NATSAddress, name: String, replicas: Int, metrics: Metrics) {
    client = NATSClient(address, name: name)
    self.replicas = replicas
    published = metrics.counter("bus_events_published_total", help: "Events that NATS has stored.")
    received = metrics.counter("bus_events_received_total", help: "Events taken from NATS.")
    replayed = metrics.counter("bus_events_replayed_total", help: "Events that NATS had lost, taken from their outbox.")
    metrics.gauge("bus_connected", help: "1 while there is a connection to NATS.") { [client] in
      client.state == .connected ? 1 : 0
    }
    metrics.counter("bus_reconnects_total", help: "Connections to NATS after the first.") { [client] in
      client.reconnects
    }
  }

  /// Sets the stream up unless that was done, or ``distrust()`` was called.
  package func prepare() async throws(NATSError) {
    guard !isReady.load(ordering: .acquiring) else { return }
    try await client.ensure(
      StreamConfiguration(
        name: BusSubjects.stream, subjects: [BusSubjects.stored], maxAgeSeconds: Self.storedSeconds,
        replicas: replicas, duplicateSeconds: Self.duplicateSeconds))
    isReady.store(true, ordering: .releasing)
  }

  /// The stream may not exist any longer.
  func distrust() { isReady.store(false, ordering: .releasing) }

  package func close() { client.close() }

  // MARK: what is not stored

  /// Sends what only matters now. Failures are ignored: subscribers also poll from time to time.
  func announce(_ data: [UInt8], on subject: String) async {
    try? await client.send(data, to: subject)
  }

  /// Sends a gateway's message to all gateways.
  ///
  /// - Throws: When there is no connection; the message is not sent later.
  package func sendToGateways(_ data: [UInt8]) async throws { try await client.send(data, to: BusSubjects.realtime) }

  /// The messages between gateways, including the process's own.
  ///
  /// - Parameter onConnect: Called when messages arrive from now on; earlier ones may have been missed.
  package func messagesOfGateways(onConnect: @escaping @Sendable () -> Void) -> any AsyncSequence<[UInt8], Never> {
    client.messages(on: BusSubjects.realtime, onConnect: onConnect).map(\.data)
  }

  /// Sends a signal of a service to every gateway.
  package func send(_ signal: SignalsAPI.Send, of service: String) async throws {
    try await client.send(Array(try WireJSON.encode(signal)), to: BusSubjects.signals(of: service))
  }

  /// The signals of all services, each with the name of its service.
  package func signals() -> any AsyncSequence<(service: String, signal: SignalsAPI.Send), Never> {
    client.messages(on: BusSubjects.signals(of: "*")).compactMap { message in
      guard let service = message.subject.split(separator: ".").last,
        let signal = try? WireJSON.decode(SignalsAPI.Send.self, from: message.data)
      else { return nil }
      return (String(service), signal)
    }
  }

  /// Arrives whenever auth publishes that a session has ended, and after each interruption.
  package func endedSessions() -> AsyncStream<Void> {
    let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let events = client.messages(on: BusSubjects.endedSessions) { continuation.yield() }
    let task = Task {
      for await _ in events { continuation.yield() }
      continuation.finish()
    }
    continuation.onTermination = { _ in task.cancel() }
    return stream
  }
}
