import Contracts
import Events
import HTTPServing
import HTTPTypes
import HummingbirdCore
import Observability
import Persistence

/// The routes of the private port: metrics, health, dead letters, jobs, and the requests of other services to the gateway.
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
          for queue in platform.deadLetterQueues { try await queue.retry() }
          return Response(status: .noContent)
        case (.get, "/jobs"): return .json(.ok, try WireJSON.encode(try await jobs(of: platform)))
        case (.post, "/jobs/retry"):
          try token.require(in: request)
          for queues in platform.jobQueues { try await queues.retry() }
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

  private static func jobs(of platform: Platform) async throws -> [ServiceJobs] {
    var all: [ServiceJobs] = []
    for queues in platform.jobQueues { all.append(try await queues.summary()) }
    return all
  }

  private static func deadLetters(of platform: Platform) async throws -> [Letters] {
    var all: [Letters] = []
    for queue in platform.deadLetterQueues {
      all.append(Letters(service: queue.service, letters: try await queue.list()))
    }
    return all
  }
}
