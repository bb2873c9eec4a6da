import Contracts
import Persistence
import PlatformRules
import ServiceKit
import SyncMerge

/// The media of cards: those who see the set load them; those of deleted cards, who may restore them.
///
/// Synchronization must not stop while media-index is down, and a transaction cannot ask it. So every media item that
/// is new in a card and was not found to be the user's is stored and reported as claimed by the user, and media-index,
/// which knows the owners, disregards false claims. A check only lets a device know at once.
enum CardMedia {
  static let kind = "set"
  static let cardKind = "card"
  private static let editorsPart = "editors"
  /// The number of the last report about a card; greater than any of a change.
  private static let lastSequence: Int64 = 1 << 53

  static func topic(_ card: RecordID) -> Topic { Topic(cardKind, card.rawValue) }

  /// The media of a card in any state.
  static func media(of content: MergeRecord<JSONValue>?) -> [MediaID] { media(in: content?["attachments"]) }

  static func media(in attachments: JSONValue?) -> [MediaID] {
    (attachments?.elements ?? []).compactMap { $0["media"]?.string.flatMap { MediaID($0) } }
  }

  // MARK: reports

  /// Reports what has changed about the media of cards.
  ///
  /// - Parameters:
  ///   - owned: Media that were found to be the user's.
  ///   - request: What they were checked for, if not for each card.
  static func record(
    _ changes: [RecordChange], owned: Set<MediaID>, checkedFor request: Topic?, by user: UserID, in tx: Transaction
  ) throws {
    let cards = changes.filter { change in
      guard change.collection == .cards else { return false }
      let (before, after) = (media(of: change.before), media(of: change.after))
      let isMoved = change.before?.isDeleted != change.after.isDeleted
      return before != after || isMoved && !after.isEmpty
    }
    guard !cards.isEmpty else { return }
    let known = try CardMediaStore.list(of: cards.map(\.id), in: tx)
    for change in cards {
      let after = Set(media(of: change.after))
      var stored = known[change.id] ?? []
      let removed = stored.map(\.media).filter { !after.contains($0) }
      try CardMediaStore.delete(removed, of: change.id, in: tx)
      stored.removeAll { removed.contains($0.media) }
      let old = Set(stored.map(\.media))
      for media in after.subtracting(old).sorted(by: { $0.rawValue < $1.rawValue }) {
        let new = CardMediaStore.Stored(
          card: change.id, media: media, claimedBy: owned.contains(media) ? nil : user)
        try CardMediaStore.insert(new, of: change.space, in: tx)
        stored.append(new)
      }
      let readers = Topic(kind, change.space.rawValue, change.after.isDeleted ? editorsPart : nil)
      let uses = stored.map { MediaUse($0.media, .readers, of: readers, claimedBy: $0.claimedBy) }
      try MediaUses.report(uses, of: topic(change.id), sequence: change.sequence, checkedFor: request, in: tx)
    }
  }

  /// Reports cards whose content is removed for good.
  static func remove(_ cards: [RecordID], in tx: Transaction) throws {
    let used = try CardMediaStore.cards(among: cards, in: tx)
    try end(used, in: tx)
  }

  /// Reports some of the cards of a set that is removed for good.
  ///
  /// - Returns: How many.
  static func remove(of set: SpaceID, limit: Int, in tx: Transaction) throws -> Int {
    let cards = try CardMediaStore.cards(of: set, limit: limit, in: tx)
    try end(cards, in: tx)
    return cards.count
  }

  private static func end(_ cards: [RecordID], in tx: Transaction) throws {
    for card in cards { try MediaUses.report([], of: topic(card), sequence: lastSequence, in: tx) }
    try CardMediaStore.delete(of: cards, in: tx)
  }

  // MARK: readers

  /// The sets that a reader sees: as a member, or because they are published.
  static func readable(_ topics: [Topic], by reader: ObjectReader, in db: any Connection) throws -> [Topic] {
    let sets = topics.compactMap { StudySetID(String($0.id)) }
    let published = try PublicationStore.list(
      "p.set_id IN \(list: sets) AND p.removed_at IS NULL", "p.set_id", limit: topics.count, in: db)
    let everyone = Set(published.map(\.set))
    let rows = try reader.id.map { user in
      try SetReader.list(
        "m.user_id = \(user) AND m.space_id IN \(list: sets) AND r.deleted_at IS NULL", "m.number",
        limit: topics.count, in: db)
    }
    let roles = Dictionary((rows ?? []).map { ($0.id, $0.role) }) { first, _ in first }
    return topics.filter { topic in
      guard let set = StudySetID(String(topic.id)) else { return false }
      switch topic.part.map({ String($0) }) {
      case nil: return everyone.contains(set) || roles[set] != nil
      case editorsPart: return roles[set].map { $0 >= .editor } ?? false
      default: return false
      }
    }
  }
}
