import Contracts
import Persistence
import ServiceKit

/// Study time through the plain endpoint, which ends up in the same log as that of devices.
struct StudySessions: Feature {
  private let core: StudyCore

  init(_ core: StudyCore) { self.core = core }

  func register(in routes: inout Routes) { routes.on(StudyAPI.AddStudySessions.self, add) }

  private func add(_ request: StudyAPI.AddStudySessions, _ call: Call) async throws -> AddedSessions {
    let user = try call.user.id
    try NewEntry.requireCount(request.sessions.count, at: "body.sessions")
    let entries = try request.sessions.enumerated().map { index, session in
      try NewEntry(
        session.id, .studySessions, at: session.at,
        [
          ("function", .string(session.function.rawValue)), ("set", session.set.map { .string($0.rawValue) }),
          ("milliseconds", .integer(session.milliseconds)),
          ("utcOffsetMinutes", .integer(Int64(session.utcOffsetMinutes.value))),
        ], "body.sessions[\(index)]", core)
    }
    let sets = Set(request.sessions.compactMap(\.set))
    return try await core.database.write { [core] tx in
      try tx.idempotent(call.idempotencyKey) {
        try core.write(as: user, in: tx) { writer in
          try VisibleSets.require(sets, for: writer)
          try NewEntry.append(entries, SchedulerSettings.of(user, core.records, in: tx), writer)
        }
        return AddedSessions(ids: entries.map(\.id.rawValue))
      }
    }
  }
}
