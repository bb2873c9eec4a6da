import Contracts
import Persistence

struct Profiles: Sendable {
  let database: any Database

  func account(of id: UserID) async throws -> Account {
    guard let account = try await database.read({ db in try AccountStore.find(id, in: db) }) else {
      throw Problem(.notFound)
    }
    return account
  }

  func profile(of id: UserID) async throws -> Profile {
    guard let account = try await database.read({ db in try AccountStore.find(id, in: db) }) else {
      throw Problem(.userNotFound)
    }
    return Profile(
      id: account.id,
      username: account.username,
      displayName: account.displayName,
      bio: account.bio,
      createdAt: account.createdAt
    )
  }

  func update(_ id: UserID, _ patch: AuthAPI.UpdateMe.Body, ifMatch: EntityTag?) async throws -> Account {
    try await database.write { tx in
      guard var account = try AccountStore.find(id, in: tx) else { throw Problem(.notFound) }
      if let ifMatch, !ifMatch.allows(EntityTag(version: account.version)) { throw Problem(.versionMismatch) }
      let before = account
      account.displayName = patch.displayName?.rawValue ?? account.displayName
      switch patch.bio {
      case .keep: break
      case .remove: account.bio = nil
      case .set(let bio): account.bio = bio.rawValue
      }
      guard account != before else { return account }
      account.version += 1
      try tx.execute(
        """
        UPDATE users SET display_name = \(account.displayName), bio = \(account.bio), version = \(account.version)
        WHERE id = \(id)
        """
      )
      try tx.record(UserChanged(userID: id, version: account.version))
      return account
    }
  }
}
