import Contracts
import Persistence

extension MediaID {
  /// The topic of a media item, which those may follow who may load it.
  var topic: Topic { Topic("media", rawValue) }
}

/// Events about media for the owner's streams, and for streams that follow a media item. Apps load the rest.
enum MediaTopic {
  /// - Parameter percent: How far the processing is in its state.
  static func changed(_ stored: StoredMedia, percent: Int? = nil, in tx: Transaction) throws {
    let media = stored.media
    let content = JSONValue.object([
      ("media", .string(media.id.rawValue)), ("version", .integer(Int64(media.version))),
      ("state", .string(media.state.rawValue)), ("failure", media.failure.map { .string($0.rawValue) }),
      ("percent", percent.map { .integer(Int64($0)) }),
    ])
    try tx.record(TopicEvent(media.id.topic, "media.changed", content, alsoTo: owner(of: stored)))
  }

  static func deleted(_ stored: StoredMedia, in tx: Transaction) throws {
    let content: JSONValue = ["media": .string(stored.id.rawValue)]
    try tx.record(TopicEvent(stored.id.topic, "media.deleted", content, alsoTo: owner(of: stored)))
    try tx.record(TopicAccessEnded([stored.id.topic], for: nil))
  }

  /// Fewer may follow the media item: streams ask again.
  static func narrowed(_ stored: StoredMedia, in tx: Transaction) throws {
    try tx.record(TopicAccessEnded([stored.id.topic], for: nil))
  }

  private static func owner(of stored: StoredMedia) -> [UserID] { stored.deletedAt == nil ? [stored.media.owner] : [] }
}

extension MediaVisibility {
  func isWider(than other: MediaVisibility) -> Bool { rank > other.rank }

  private var rank: Int {
    switch self {
    case .owner: 0
    case .connections: 1
    case .everyone: 2
    }
  }
}
