import Contracts
import Persistence
import ServiceKit

/// User settings, shared by all of a user's devices.
struct Preferences: Feature {
  let core: AuthCore

  init(_ core: AuthCore) { self.core = core }

  func register(in routes: inout Routes) {
    routes.on(AuthAPI.GetSettings.self) { _, call in try await get(call.user.id) }
    routes.on(AuthAPI.PutSettings.self) { request, call in
      try Self.requireMayChoose(request.body.role, call.user.roles)
      return try await put(call.user.id, request.body, ifMatch: request.ifMatch, by: call.auditActor)
    }
  }

  /// The chosen role grants nothing, but apps show it.
  private static func requireMayChoose(_ role: ChosenRole, _ roles: Set<Role>) throws {
    let isAllowed =
      switch role {
      case .student, .instructor, .guest: true
      case .support: roles.contains(.support)
      case .administrator: roles.contains(.administrator)
      }
    guard isAllowed else {
      throw Problem(.invalidRequest, errors: [.init(location: "body.role", message: "is not a role of the user")])
    }
  }

  func get(_ user: UserID) async throws -> VersionedSettings {
    try await core.database.read { db in try PreferenceStore.find(user, in: db) }
  }

  func put(_ user: UserID, _ settings: UserSettings, ifMatch: EntityTag?, by actor: AuditActor) async throws
    -> VersionedSettings
  {
    if let hours = settings.quietHours, LocalClock(hours.timeZone) == nil {
      throw Problem(
        .invalidRequest, errors: [.init(location: "body.quietHours.timeZone", message: "is not a time zone")])
    }
    return try await core.database.write { tx in
      let old = try PreferenceStore.find(user, in: tx)
      try ifMatch?.require(old.version)
      guard settings != old.settings || old.version == 0 else { return old }
      let new = VersionedSettings(settings, version: old.version + 1)
      try PreferenceStore.save(new, of: user, in: tx)
      if settings.logOutAfterMinutes != old.logOutAfterMinutes {
        try core.sessions.apply(settings.logOutAfterMinutes, to: user, in: tx)
      }
      try tx.audit(
        "settings.changed",
        object: "user:\(user)",
        by: actor,
        changes: .between(old.settings, settings, masked: false)
      )
      try tx.record(RealtimeEvent(to: user, "settings.changed", ["version": .integer(Int64(new.version))]))
      return new
    }
  }

  // MARK: privacy

  func export(_ user: UserID, in db: any Connection) throws -> [(section: String, content: JSONValue)] {
    [("settings", try JSONValue(PreferenceStore.find(user, in: db)))]
  }

  func erase(_ user: UserID, in tx: Transaction) throws { try PreferenceStore.delete(of: user, in: tx) }
}
