import Contracts
import Persistence

extension Routes {
  /// Lets auth read the personal data that the service stores about a user.
  mutating func addPrivacy(of plugin: any ServicePlugin, _ database: any Database) {
    on(PersonalDataAPI.Export.self) { request, _ in
      try await plugin.export(request.user, from: database)
    }
  }
}
