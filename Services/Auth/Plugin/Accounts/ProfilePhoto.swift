import Contracts
import Persistence
import PlatformRules
import ServiceKit

/// The photos of profiles: who may load one is decided by its visibility.
struct ProfilePhoto: Sendable {
  private let core: AuthCore
  private let media: MediaUses

  init(_ core: AuthCore) { (self.core, media) = (core, MediaUses(core.environment)) }

  static func topic(_ user: UserID) -> Topic { Topic("user", user.rawValue) }

  /// Requires that a new photo is a picture of the user's.
  func require(_ photo: Patch<MediaID>, of user: UserID, at location: String) async throws {
    guard case .set = photo else { return }
    let known = try await core.database.read { db in try core.accounts.find(user, in: db)?.account.details.photo }
    try await media.require(
      MediaUses.Wanted.change(photo, from: known, .image, at: location), of: user, for: Self.topic(user))
  }

  /// After the account was updated; see ``ProfileChange``.
  ///
  /// - Parameter isLimited: Whether the user is a minor without a guardian's consent, whose photo no one else may load.
  static func report(from before: Account, to after: Account, isLimited: Bool, in tx: Transaction) throws {
    let isSame = before.details.photo == after.details.photo && before.visibility[.photo] == after.visibility[.photo]
    guard !isSame || isLimited && after.details.photo != nil || before.details.birthday != after.details.birthday else {
      return
    }
    let isPublic = after.visibility[.photo] == .everyone && !isLimited
    let uses = [after.details.photo.map { MediaUse($0, isPublic ? .public : .readers) }]
    try MediaUses.report(uses.compactMap { $0 }, of: topic(after.id), sequence: Int64(after.version), in: tx)
  }

  static func reportDeleted(_ account: Account, in tx: Transaction) throws {
    guard account.details.photo != nil else { return }
    try MediaUses.report([], of: topic(account.id), sequence: Int64(account.version) + 1, in: tx)
  }

  /// The profiles whose photo the reader sees.
  func readable(_ profiles: [Topic], by reader: ObjectReader) async throws -> [Topic] {
    let users = profiles.filter { $0.part == nil }.compactMap { UserID(String($0.id)) }
    return try await core.database.read { db in
      let connected = try reader.id.map { try ConnectionStore.connected(to: $0, among: users, in: db) } ?? []
      let blockers = try reader.id.map { try BlockStore.blockers(of: $0, among: users, in: db) } ?? []
      let found = try core.accounts.find(users, in: db)
      let limited = try core.minors.limited(among: found.map(\.account), in: db)
      return found.filter { stored in
        if limited.contains(stored.id), reader.id != stored.id { return false }
        let visibility = stored.account.visibility[.photo]
        guard let viewer = reader.id else { return visibility == .everyone && !stored.isDisabled }
        guard viewer == stored.id || !stored.isDisabled && !blockers.contains(stored.id) else { return false }
        return Relation(of: viewer, to: stored.id, connected).sees(visibility)
      }.map { Self.topic($0.id) }
    }
  }
}
