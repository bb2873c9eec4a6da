public import Contracts

/// Sends what is never stored, such as typing, to the streams that follow a topic.
public struct Signals: Sendable {
  let environment: ServiceEnvironment

  /// Sends a signal to every gateway. Failures are ignored: the next signal replaces this one.
  public func send(_ topic: Topic, _ name: String, _ data: JSONValue, from sender: UserID) async {
    for gateway in (try? await environment.consumers(of: TopicEvent.self)) ?? [] {
      _ = try? await gateway.client.send(SignalsAPI.Send(topic, name, data, from: sender))
    }
  }
}

extension ServiceEnvironment {
  public var signals: Signals { Signals(environment: self) }
}
