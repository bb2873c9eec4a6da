import Contracts
import HTTPTypes
import HummingbirdCore
import Persistence

/// The routes of the private port: metrics, health, dead letters, and the requests of other services to the gateway.
enum OperationsRoutes {
  private struct Letters: Codable {
    var service: String
    var letters: [Outbox.DeadLetter]
  }

  /// - Parameter token: What a request that changes something must carry.
  static func responder(of platform: Platform, token: OperationsToken) -> HTTPServer.Responder {
    { request, connection in
      do {
        switch (request.method, request.uri.path) {
        case (.get, "/metrics"):
          return .text(.ok, try await metrics(of: platform), type: "text/plain; version=0.0.4; charset=utf-8")
        case (.get, "/livez"): return .text(.ok, "ok\n")
        case (.get, "/readyz"):
          for service in platform.services {
            let response = await service.health.readiness()
            if response.status != .ok { return response }
          }
          return .text(.ok, "ok\n")
        case (.get, "/dead-letters"): return .json(.ok, try WireJSON.encode(try await deadLetters(of: platform)))
        case (.post, "/dead-letters/retry"):
          try token.require(in: request)
          for outbox in outboxes(of: platform) { try await outbox.outbox.reviveDeadLetters() }
          return Response(status: .noContent)
        default:
          guard let front = platform.front, front.manifest.isEdge else {
            return .problem(Problem(.notFound), trace: nil)
          }
          return await front.dispatcher.respond(to: request, on: connection, port: .private)
        }
      } catch let problem as Problem {
        return .problem(problem, trace: nil)
      } catch {
        return .problem(Problem(.unavailable), trace: nil)
      }
    }
  }

  private static func outboxes(of platform: Platform) -> [(service: String, outbox: Outbox)] {
    platform.services.compactMap { service in
      service.database.map { (service.manifest.name, Outbox(database: $0)) }
    }
  }

  private static func deadLetters(of platform: Platform) async throws -> [Letters] {
    var all: [Letters] = []
    for (service, outbox) in outboxes(of: platform) {
      all.append(Letters(service: service, letters: try await outbox.deadLetters()))
    }
    return all
  }

  /// The metrics of the registry and those that are read from the databases.
  private static func metrics(of platform: Platform) async throws -> String {
    let extra = Metrics()
    for (service, outbox) in outboxes(of: platform) {
      let counts = try await outbox.counts()
      let age = counts.oldest.map { platform.time.now().seconds(since: $0) } ?? 0
      let labels: Metrics.Labels = [("service", service)]
      extra.gauge("outbox_pending", help: "Pending deliveries.", labels: labels) { Double(counts.waiting) }
      extra.gauge("outbox_dead", help: "Dead-lettered deliveries.", labels: labels) { Double(counts.dead) }
      extra.gauge("outbox_oldest_seconds", help: "Age of the oldest pending event.", labels: labels) { age }
    }
    return platform.metrics.text() + extra.text()
  }
}
