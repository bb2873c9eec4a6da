import Contracts
import Logging
import Persistence

/// Subscribes to the events that a plugin consumes.
struct Subscriber {
  let name: String
  /// The URL where this process receives events, once it listens.
  let url: @Sendable () async -> String?
  let consumption: Manifest.Consumption
  let client: APIClient

  /// Repeats, in case an emitting service has lost its subscriptions. With several instances, the last to subscribe
  /// receives the events; when it stops, another soon takes over.
  func task(_ logger: Logger) -> PeriodicTask {
    PeriodicTask("subscribe.\(consumption.service)", every: .seconds(10), logger: logger) { try await subscribe() }
  }

  private func subscribe() async throws {
    guard let url = await url() else { return }
    let request = EventsAPI.Subscribe(subscriber: name, url: url, types: consumption.events.map { $0.type })
    do {
      _ = try await client.send(request)
    } catch {
      // A service that emits no events has nothing to subscribe to, in this version.
      if case .problem(let problem) = error, problem.is(.notFound) { return }
      throw error
    }
  }
}
