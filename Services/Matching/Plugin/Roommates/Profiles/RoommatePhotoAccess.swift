import Contracts
import Persistence
import PlatformRules
import ServiceKit

/// The photos of roommates: the card's picture for those to whom the card can be shown, the others for matches.
enum RoommatePhotoAccess {
  static let kind = "roommate"
  private static let matchPart = "match"

  static func wanted(_ photos: RoommatePhotos?, besides known: RoommatePhotos?) -> [MediaUses.Wanted] {
    let before = known.map { [$0.card] + $0.others } ?? []
    return MediaUses.Wanted.change(
      photos.map { before.contains($0.card) ? .keep : .set($0.card) } ?? .keep, from: nil, .image,
      at: "body.photos.card")
      + MediaUses.Wanted.items(photos?.others, besides: before, [.image], at: "body.photos.others")
  }

  /// Named by the generation: the versions of a profile that is created again begin anew.
  static func object(_ profile: StoredRoommate) -> Topic { Topic(kind, profile.generation) }

  static func report(_ profile: StoredRoommate, in tx: Transaction) throws {
    let user = profile.userID.rawValue
    let card = (profile.stages.photos?.card).map { [MediaUse($0, .readers, of: Topic(kind, user))] } ?? []
    let others = (profile.stages.photos?.others ?? []).map {
      MediaUse($0, .readers, of: Topic(kind, user, matchPart))
    }
    try MediaUses.report(card + others, of: object(profile), sequence: Int64(profile.version), in: tx)
  }

  static func reportDeleted(_ profile: StoredRoommate, in tx: Transaction) throws {
    guard profile.stages.photos != nil else { return }
    try MediaUses.report([], of: object(profile), sequence: Int64(profile.version) + 1, in: tx)
  }

  /// The profiles whose photos a reader may see now.
  static func readable(_ profiles: [Topic], by reader: ObjectReader, _ core: RoommateCore) async throws -> [Topic] {
    guard let viewer = reader.id else { return [] }
    let today = core.today
    return try await core.database.read { db in
      let users = profiles.compactMap { UserID(String($0.id)) }
      let found = try core.profiles.visible(users + [viewer], in: db)
      let hidden = try BlockStore.others(of: viewer, among: users, in: db)
      let matched = try MatchStore.matched(to: viewer, among: users, in: db)
      let known = try MatchStore.others(of: viewer, among: users, in: db)
      var comparison = found[viewer].map { RoommateComparison($0, on: today) }
      return profiles.filter { topic in
        guard let user = UserID(String(topic.id)) else { return false }
        if user == viewer { return true }
        guard let profile = found[user], comparison != nil, !hidden.contains(user) else { return false }
        if matched.contains(user) { return topic.part == nil || topic.part ?? "" == matchPart }
        // Pairs that have ended are not shown to each other again.
        return topic.part == nil && !known.contains(user) && comparison?.candidate(profile) != nil
      }
    }
  }
}
