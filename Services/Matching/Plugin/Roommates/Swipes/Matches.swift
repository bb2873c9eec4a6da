import Contracts
import Persistence
import PlatformRules
import ServiceKit

/// Matches with full profiles.
struct Matches: Feature {
  private let core: RoommateCore

  init(_ core: RoommateCore) { self.core = core }

  func register(in routes: inout Routes) {
    routes.on(MatchingAPI.ListRoommateMatches.self) { request, call in try await list(request, of: core.caller(call)) }
    routes.on(MatchingAPI.GetRoommateMatch.self) { request, call in
      try await get(request.userID, for: core.caller(call))
    }
  }

  private func list(_ request: MatchingAPI.ListRoommateMatches, of user: UserID) async throws
    -> RoommatePage<RoommateMatch>
  {
    let page = try request.page(by: MatchID.self)
    let (viewer, found, profiles) = try await core.database.read { [core] db in
      let found = try page.fetch({ try MatchStore.list(of: user, before: $0, limit: $1, in: db) }, key: \.id)
      let viewer = try core.profiles.find(user, in: db)?.stages
      return (viewer, found, try core.profiles.visible(found.rows.map(\.other), in: db))
    }
    let names = await core.names.of(found.rows.map(\.other))
    var comparison = viewer.flatMap { CompleteProfile(user, $0) }.map { RoommateComparison($0, on: core.today) }
    let items = found.rows.map { Self.response($0, profiles[$0.other], names, &comparison) }
    return RoommatePage(items: items, nextCursor: found.nextCursor, isStale: names.isStale)
  }

  private func get(_ other: UserID, for user: UserID) async throws -> RoommateMatch {
    let (viewer, found, profile) = try await core.database.read { [core] db in
      guard let found = try MatchStore.find(user, other, in: db) else { throw Problem(.roommateNotFound) }
      let viewer = try core.profiles.find(user, in: db)?.stages
      return (viewer, found, try core.profiles.visible([other], in: db)[other])
    }
    let names = await core.names.of([other])
    var comparison = viewer.flatMap { CompleteProfile(user, $0) }.map { RoommateComparison($0, on: core.today) }
    return Self.response(found, profile, names, &comparison)
  }

  /// - Parameter comparison: `nil` while the viewer's own profile lacks stages; then only the names are shown.
  private static func response(
    _ match: StoredMatch, _ profile: CompleteProfile?, _ names: PublicNames.Found,
    _ comparison: inout RoommateComparison?
  ) -> RoommateMatch {
    guard var own = comparison else {
      return RoommateMatch(userID: match.other, user: names[match.other], matchedAt: match.at, profile: nil)
    }
    defer { comparison = own }
    return response(match, profile, names, &own)
  }

  static func response(
    _ match: StoredMatch, _ profile: CompleteProfile?, _ names: PublicNames.Found,
    _ comparison: inout RoommateComparison
  ) -> RoommateMatch {
    let name = names[match.other]
    let matched = profile.map {
      MatchedProfile(fullName: $0.identity.fullName, photos: $0.photos, card: comparison.card(of: $0, name))
    }
    return RoommateMatch(userID: match.other, user: name, matchedAt: match.at, profile: matched)
  }

  // MARK: privacy

  func export(_ user: UserID, in db: any Connection) throws -> [(section: String, content: JSONValue)] {
    let matches = try MatchStore.list(of: user, before: nil, limit: 10_000, in: db).map { match -> JSONValue in
      ["userID": .string(match.other.rawValue), "matchedAt": .string(match.at.description)]
    }
    return matches.isEmpty ? [] : [("roommateMatches", .array(matches))]
  }

  func erase(_ user: UserID, in tx: Transaction) throws { try MatchStore.deleteAll(of: user, in: tx) }
}
