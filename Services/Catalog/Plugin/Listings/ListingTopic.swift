import Contracts
import Persistence
import ServiceKit

extension ListingID {
  /// The topic of a listing and its comments.
  var topic: Topic { Topic("listing", rawValue) }
}

/// Events for the streams that follow a listing. They carry ids and state; apps load the rest.
enum ListingTopic {
  static func changed(_ id: ListingID, version: Int, isDeleted: Bool = false, in tx: Transaction) throws {
    let content: JSONValue = [
      "listing": .string(id.rawValue), "version": .integer(Int64(version)), "isDeleted": .bool(isDeleted),
    ]
    try tx.record(TopicEvent(id.topic, "listing.changed", content))
    if isDeleted { try tx.record(TopicAccessEnded([id.topic], for: nil)) }
  }

  static func saleChanged(_ event: ListingSaleChanged, in tx: Transaction) throws {
    let content: JSONValue = [
      "listing": .string(event.listingID.rawValue), "isPurchased": .bool(event.isPurchased),
      "isOpenForBids": .bool(event.isOpenForBids),
    ]
    try tx.record(TopicEvent(event.listingID.topic, "listing.changed", content))
  }

  /// - Parameter change: Such as `added`.
  static func comment(_ stored: StoredComment, _ change: String, in tx: Transaction) throws {
    guard case .listing(let listing)? = CommentTarget(stored.subject) else { return }
    let content = JSONValue.object([
      ("listing", .string(listing.rawValue)), ("comment", .string(stored.comment.id.rawValue)),
      ("parent", stored.comment.parentID.map { .string($0.rawValue) }),
      ("version", .integer(Int64(stored.comment.version))),
    ])
    try tx.record(TopicEvent(listing.topic, "comment.\(change)", content))
  }

  /// The owner's listings are not shown to a user any more.
  static func endAccess(to owner: UserID, for user: UserID, in tx: Transaction) throws {
    let ids = try ListingStore.ids(of: owner, in: tx)
    for start in stride(from: 0, to: ids.count, by: Topic.maxPerStream) {
      let some = ids[start..<min(start + Topic.maxPerStream, ids.count)]
      try tx.record(TopicAccessEnded(some.map(\.topic), for: user))
    }
  }

  /// Everyone who may get a listing may follow it, except moderators across a block.
  static func followable(_ topics: [Topic], by viewer: ListingViewer, in db: any Connection) throws -> [Topic] {
    let known = try ListingStore.visible(topics.compactMap { ListingID(String($0.id)) }, to: viewer, in: db)
    return topics.filter { topic in known.contains { $0.topic == topic } }
  }
}
