import AuthService
import Contracts
import Persistence
import ServiceKit
import TestKit

extension TestPlatform {
  /// A member of staff, signed in with a second factor.
  func staff(_ role: Role) async throws -> TestUser {
    let name = role.rawValue
    _ = try await auth.createAccount(
      email: EmailAddress(validating: "\(name)@example.com"), username: Username(validating: name),
      displayName: DisplayName(validating: "The \(name)"), password: Password(validating: "correct horse \(name)"),
      roles: [role])
    return TestUser(try await auth.provedSession(of: name), client)
  }

  /// The entries of auth's trail about an action, newest first.
  func entries(_ action: String, of object: String? = nil) async throws -> [AuditRecord] {
    let filter = AuditFilter(object: object, action: action)
    return try await AuditTrail(database).search(filter, limit: 100, cursor: nil).items
  }
}
