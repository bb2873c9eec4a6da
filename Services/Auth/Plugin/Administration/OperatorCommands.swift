public import Contracts
import Persistence
import ServiceKit

extension AuthPlugin {
  /// Creates an account for an operator; its e-mail address counts as verified.
  public func createAccount(
    email: EmailAddress,
    username: Username,
    displayName: DisplayName,
    password: Password,
    roles: [Role]
  ) async throws -> UserID {
    try core.commonPasswords.check(password, names: [email.rawValue, username.rawValue])
    let hash = try await core.hasher.hash(password.rawValue)
    let id = core.ids.make(UserID.self)
    try await core.database.write { [accounts = core.accounts] tx in
      let stored = StoredAccount(
        account: Account(
          id: id,
          email: email.rawValue,
          isEmailVerified: true,
          username: username.rawValue,
          displayName: displayName.rawValue,
          hasPassword: true,
          roles: roles,
          createdAt: tx.now,
          version: 1
        ),
        passwordHash: hash
      )
      try accounts.insert(stored, in: tx)
      try tx.record(UserRegistered(userID: id, app: .web))
      try tx.audit("account.created", object: stored.object, by: .operator)
    }
    return id
  }

  /// Imports LetuStudy's user table.
  /// - Parameter text: The content of the CSV file.
  public func importAccounts(_ text: String) async throws -> AccountImport.Report {
    try await AccountImport(database: core.database, accounts: core.accounts, ids: core.ids)(text)
  }
}
