import Contracts
import Logging
import Persistence
import ServiceKit
import ServiceLifecycle

/// Takes the services' reports of when sessions were used, and ends the sessions that have been unused for too long.
struct UnusedSessions: Feature {
  let core: AuthCore
  private let startedAt: Timestamp

  /// How long after a start the first session may end, in seconds: services report what they could not report while auth
  /// was away.
  private static let graceSeconds = 30.0
  /// Sessions per transaction.
  private static let batch = 100
  /// Sessions per transaction that takes a few statements for all of them.
  private static let largeBatch = 500

  init(_ core: AuthCore) { (self.core, startedAt) = (core, core.time.now()) }

  var workers: [any Service] {
    [
      PeriodicTask("sessions.limits", per: .platform, every: .seconds(86_400), logger: core.logger) {
        try await shorten()
      },
      PeriodicTask("sessions.unused", per: .platform, every: .seconds(5), logger: core.logger) {
        try await endUnused()
      },
    ]
  }

  func register(in routes: inout Routes) {
    routes.on(AuthAPI.ReportSessionUses.self) { request, _ in try await record(request.uses) }
  }

  /// Always in the same order, so that the reports of several services do not wait for each other in a circle.
  private func record(_ uses: [SessionUse]) async throws {
    guard uses.count <= AuthAPI.ReportSessionUses.maxCount else {
      throw Problem(.invalidRequest, errors: [.init(location: "body.uses", message: "has too many items")])
    }
    let sorted = uses.sorted { $0.session.rawValue < $1.session.rawValue }
    for start in stride(from: 0, to: sorted.count, by: Self.batch) {
      let part = sorted[start..<min(start + Self.batch, sorted.count)]
      try await core.database.write(.readCommitted) { tx in
        for use in part { try SessionStore.record(use, in: tx) }
      }
    }
  }

  private func endUnused() async throws {
    guard core.time.now().seconds(since: startedAt) >= Self.graceSeconds else { return }
    while try await endForgotten() == Self.largeBatch {}
    while try await endBatch() == Self.batch {}
  }

  private func endForgotten() async throws -> Int {
    let now = core.time.now()
    let due = try await core.database.read { db in
      try core.sessions.listForgotten(at: now, limit: Self.largeBatch, in: db)
    }
    guard !due.isEmpty else { return 0 }
    try await core.database.write { tx in try SessionStore.endForgotten(due, in: tx) }
    return due.count
  }

  /// Applies the platform's limit to the sessions that began under a longer one.
  private func shorten() async throws {
    var last: SessionID?
    repeat {
      let position = last
      let due = try await core.database.read { db in
        try core.sessions.listTooLong(after: position, limit: Self.largeBatch, in: db)
      }
      guard !due.isEmpty else { return }
      try await core.database.write { tx in try core.sessions.shorten(due, in: tx) }
      last = due.count == Self.largeBatch ? due.last : nil
    } while last != nil
  }

  private func endBatch() async throws -> Int {
    let now = core.time.now()
    let due = try await core.database.read { db in try SessionStore.listUnused(at: now, limit: Self.batch, in: db) }
    guard !due.isEmpty else { return 0 }
    try await core.database.write { tx in
      for (id, user) in due { try core.sessions.endIfUnused(id, of: user, in: tx) }
    }
    return due.count
  }
}
