import Contracts
import Persistence

/// The rights to see when users are active.
enum PresenceAccess {
  /// The users whose presence the viewer may see: the viewer, and those with whom the viewer has a conversation that
  /// both want, a connection or a match, unless they hide it or one has blocked the other.
  static func visible(_ users: [UserID], to viewer: UserID, in db: any Connection) throws -> Set<UserID> {
    guard !users.isEmpty else { return [] }
    let blocked = try BlockStore.others(of: viewer, among: users, in: db)
    let hidden = try ConversationSettingsStore.withoutPresence(among: users, in: db)
    var visible = try ParticipantStore.partners(of: viewer, among: users, in: db)
    visible.formUnion(try ConnectionStore.connected(to: viewer, among: users, in: db).keys)
    visible.formUnion(try MatchStore.matched(to: viewer, among: users, in: db))
    visible.subtract(blocked.union(hidden))
    if users.contains(viewer) { visible.insert(viewer) }
    return visible
  }
}
