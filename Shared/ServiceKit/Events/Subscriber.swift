import Contracts
import Logging
import Persistence
import ServiceLifecycle

/// Subscribes to the events that a plugin consumes; repeats every ten seconds, in case an emitting service has lost its
/// subscriptions.
struct Subscriber: Service {
  let name: String
  /// The URL where this process receives events, once it listens.
  let url: @Sendable () async -> String?
  let consumption: Manifest.Consumption
  let client: APIClient
  let logger: Logger

  func run() async throws {
    guard let url = await url() else { return }
    let request = EventsAPI.Subscribe(
      subscriber: name,
      url: url, types: consumption.events.map { $0.type })
    await cancelWhenGracefulShutdown {
      var delay = 0.1
      while !Task.isCancelled {
        do {
          _ = try await client.send(request)
          // With several instances, the last to subscribe receives the events; when it stops, another soon takes over.
          delay = 10
        } catch {
          logger.debug("cannot subscribe yet", metadata: ["from": "\(consumption.service)"])
          delay = min(5, delay * 2)
        }
        do { try await Task.sleep(for: .seconds(delay)) } catch { return }
      }
    }
  }
}
