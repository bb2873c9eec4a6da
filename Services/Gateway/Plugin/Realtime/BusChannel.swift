import Contracts
import Events
import Logging
import ServiceKit
import ServiceLifecycle

/// Messages between gateways by NATS. The connection's state is in `/readyz` and the metrics.
struct BusChannel: GatewayChannel {
  let name = "NATS"
  let bus: EventBus

  func send(_ message: [UInt8]) async throws { try await bus.sendToGateways(message) }

  func receive(
    onConnect: @escaping @Sendable () -> Void, onFailure: @escaping @Sendable () -> Void,
    _ message: @escaping @Sendable ([UInt8]) -> Void
  ) async {
    await cancelWhenGracefulShutdown {
      for await bytes in bus.messagesOfGateways(onConnect: onConnect) { message(bytes) }
    }
  }
}

/// Receives the signals that services send by NATS; each gateway has all of them.
struct BusSignals: Service {
  let bus: EventBus
  let hub: StreamHub
  let access: TopicAccess
  let logger: Logger

  func run() async throws {
    await cancelWhenGracefulShutdown {
      for await (service, signal) in bus.signals() {
        do {
          try access.requireOwner(of: [signal.topic], is: service)
          try LoggedEvent.check(signal.name, at: "body.name")
          hub.signal(signal)
        } catch {
          logger.warning("a signal was refused", metadata: ["service": "\(service)", "error": "\(error)"])
        }
      }
    }
  }
}
