import Contracts
import Events
import Persistence
import ServiceKit

/// The jobs and dead letters of all services, for administrators, who try again what has failed for good. What they read
/// names no person; what they change is audited.
struct BackgroundWork: Feature {
  private let core: AuthCore
  private let services: EveryService
  private let proof: RecentProof

  init(_ core: AuthCore) { (self.core, services, proof) = (core, EveryService(core), RecentProof(core)) }

  func register(in routes: inout Routes) {
    routes.on(AuthAPI.AdminListDeadLetters.self) { _, _ in try await deadLetters() }
    routes.on(AuthAPI.AdminRetryDeadLetters.self) { request, call in
      try await retry(request, for: call.user, by: call.auditActor)
    }
    routes.on(AuthAPI.AdminListJobs.self) { _, _ in try await jobs() }
    routes.on(AuthAPI.AdminRetryJobs.self) { request, call in
      try await retry(request, for: call.user, by: call.auditActor)
    }
  }

  private func deadLetters() async throws -> PlatformDeadLetters {
    let parts = try await services.ask { database in
      try await DeadLetterQueue(of: AuthAPI.name, database).summary()
    } others: { client in
      try await client.send(BackgroundWorkAPI.ListDeadLetters())
    }
    return PlatformDeadLetters(
      services: parts.compactMap(\.answer), unavailable: parts.filter { $0.answer == nil }.map(\.service))
  }

  private func retry(
    _ request: AuthAPI.AdminRetryDeadLetters, for staff: UserCaller, by actor: AuditActor
  ) async throws -> RetriedWork {
    try await note(
      "dead-letters.retried", of: request.service, [("type", request.type), ("event", request.eventID)], for: staff,
      by: actor)
    let selection = DeadLetterSelection(type: request.type, eventID: request.eventID)
    let parts = try await services.ask(request.service) { database in
      RetriedWork(count: try await DeadLetterQueue(of: AuthAPI.name, database).retry(selection))
    } others: { client in
      try await client.send(BackgroundWorkAPI.RetryDeadLetters(type: request.type, eventID: request.eventID))
    }
    return try Self.answer(of: parts)
  }

  private func jobs() async throws -> PlatformJobs {
    let parts = try await services.ask { database in
      try await JobQueues(of: AuthAPI.name, database).summary()
    } others: { client in
      try await client.send(BackgroundWorkAPI.ListJobs())
    }
    return PlatformJobs(
      services: parts.compactMap(\.answer), unavailable: parts.filter { $0.answer == nil }.map(\.service))
  }

  private func retry(
    _ request: AuthAPI.AdminRetryJobs, for staff: UserCaller, by actor: AuditActor
  ) async throws -> RetriedWork {
    try await note(
      "jobs.retried", of: request.service, [("kind", request.kind), ("job", request.id)], for: staff, by: actor)
    let parts = try await services.ask(request.service) { database in
      RetriedWork(count: try await JobQueues(of: AuthAPI.name, database).retry(request.id, kind: request.kind))
    } others: { client in
      try await client.send(BackgroundWorkAPI.RetryJobs(kind: request.kind, id: request.id))
    }
    return try Self.answer(of: parts)
  }

  /// Before it is done, because it may be done in another database. What was rejected or dropped may act on anyone when it
  /// runs again, so it requires a recent proof.
  private func note(
    _ action: String, of service: String, _ chosen: [(field: String, value: String?)], for staff: UserCaller,
    by actor: AuditActor
  ) async throws {
    _ = try await services.asked(service, at: "body.service")
    let changes = chosen.compactMap { field, value in value.map { AuditChange(field, from: nil, to: $0) } }
    try await core.database.write { tx in
      try proof.requireOfStaff(staff, in: tx)
      try tx.audit(action, object: "service:\(service)", by: actor, changes: changes)
    }
  }

  private static func answer(of parts: [EveryService.Part<RetriedWork>]) throws -> RetriedWork {
    guard let answer = parts.first?.answer else { throw Problem(.unavailable, retryAfter: 1) }
    return answer
  }
}
