import Contracts
import Persistence

extension Routes {
  /// Lets auth read the personal data that the service stores about a user, and the service's audit trail.
  mutating func addPrivacy(of plugin: any ServicePlugin, _ database: any Database) {
    on(PersonalDataAPI.Export.self) { request, _ in
      try await plugin.export(request.user, from: database)
    }
    on(AuditAPI.Search.self) { request, _ in
      let limit = request.limit?.value ?? 50
      return try await AuditTrail(database).search(request.filter, limit: limit, cursor: request.cursor)
    }
  }
}
