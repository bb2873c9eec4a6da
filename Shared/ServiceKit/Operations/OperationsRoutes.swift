import Contracts
import HTTPTypes
import HummingbirdCore
import Persistence

/// The routes of the private port: metrics, health, dead letters, jobs, and the requests of other services to the gateway.
enum OperationsRoutes {
  private struct Jobs: Codable {
    var service: String
    var queues: [JobQueues.Queue]
    var dropped: [JobQueues.DroppedJob]
  }

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
          return .text(.ok, platform.metrics.text(), type: "text/plain; version=0.0.4; charset=utf-8")
        case (.get, "/livez"): return .text(.ok, "ok\n")
        case (.get, "/readyz"):
          for service in platform.services {
            let response = await service.health.readiness()
            if response.status != .ok { return response }
          }
          return .text(.ok, "ok\n")
        case (.get, "/status"): return try await StatusPage.response(to: request, of: platform)
        case (.get, "/dead-letters"): return .json(.ok, try WireJSON.encode(try await deadLetters(of: platform)))
        case (.post, "/dead-letters/retry"):
          try token.require(in: request)
          for outbox in outboxes(of: platform) { try await outbox.outbox.reviveDeadLetters() }
          for database in platform.services.compactMap(\.database) {
            try await database.write { tx in try BusInbox.revive(in: tx) }
          }
          return Response(status: .noContent)
        case (.get, "/jobs"): return .json(.ok, try WireJSON.encode(try await jobs(of: platform)))
        case (.post, "/jobs/retry"):
          try token.require(in: request)
          for (_, queues) in platform.jobQueues { try await queues.retry() }
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

  private static func jobs(of platform: Platform) async throws -> [Jobs] {
    var all: [Jobs] = []
    for (service, queues) in platform.jobQueues {
      all.append(Jobs(service: service, queues: try await queues.list(), dropped: try await queues.dropped()))
    }
    return all
  }

  private static func deadLetters(of platform: Platform) async throws -> [Letters] {
    var all: [Letters] = []
    for (service, outbox) in outboxes(of: platform) {
      let taken = try await platform.database(of: service)?.read { db in
        try BusInbox.deadLetters(of: service, limit: 100, in: db)
      }
      all.append(Letters(service: service, letters: try await outbox.deadLetters() + (taken ?? [])))
    }
    return all
  }
}
