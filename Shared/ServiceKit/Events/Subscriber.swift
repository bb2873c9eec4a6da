import Contracts
import Logging
import Persistence
import ServiceLifecycle

/// Asks the services whose events a plugin consumes to deliver them; again every ten seconds, in case one of them was
/// set up anew.
struct Subscriber: Service {
  let name: String
  /// Where this process takes events, once it listens.
  let url: @Sendable () async -> String?
  let consumption: Manifest.Consumption
  let client: APIClient
  let logger: Logger

  func run() async throws {
    guard let url = await url() else { return }
    let request = EventsAPI.Subscribe(
      subscriber: name,
      body: .init(url: url, types: consumption.events.map { $0.type })
    )
    await cancelWhenGracefulShutdown {
      var delay = 0.1
      while !Task.isCancelled {
        do {
          _ = try await client.send(request)
          // Of several instances the last one to subscribe gets the events; when it goes, another soon takes over.
          delay = 10
        } catch {
          logger.debug("no subscription yet", metadata: ["from": "\(consumption.api.name)"])
          delay = min(5, delay * 2)
        }
        do { try await Task.sleep(for: .seconds(delay)) } catch { return }
      }
    }
  }
}
