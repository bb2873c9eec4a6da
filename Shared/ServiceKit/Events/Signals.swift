public import Contracts
import Events
import Synchronization

/// Sends what is never stored, such as typing, to the streams that follow a topic.
public struct Signals: Sendable {
  let environment: ServiceEnvironment

  /// Sends a signal to every gateway. Failures are ignored: the next signal replaces this one.
  public func send(_ topic: Topic, _ name: String, _ data: JSONValue, from sender: UserID) async {
    if let bus = environment.bus {
      try? await bus.send(SignalsAPI.Send(topic, name, data, from: sender), of: environment.name)
      return
    }
    for gateway in await gateways() {
      _ = try? await gateway.send(SignalsAPI.Send(topic, name, data, from: sender))
    }
  }

  private func gateways() async -> [APIClient] {
    let now = environment.time.now()
    if let known = environment.signalReceivers.known(at: now) { return known }
    let clients = ((try? await environment.consumers(of: TopicEvent.self)) ?? []).map(\.client)
    environment.signalReceivers.remember(clients, at: now)
    return clients
  }
}

/// The gateways that have subscribed, kept for some seconds so that a signal costs no query.
final class SignalReceivers: Sendable {
  private struct Known {
    var clients: [APIClient]
    var until: Timestamp
  }

  private static let seconds = 5.0
  private let state = Mutex<Known?>(nil)

  func known(at now: Timestamp) -> [APIClient]? {
    state.withLock { known in
      guard let known, !known.clients.isEmpty, known.until > now else { return nil }
      return known.clients
    }
  }

  func remember(_ clients: [APIClient], at now: Timestamp) {
    state.withLock { $0 = Known(clients: clients, until: now.advanced(bySeconds: Self.seconds)) }
  }
}

extension ServiceEnvironment {
  public var signals: Signals { Signals(environment: self) }
}
