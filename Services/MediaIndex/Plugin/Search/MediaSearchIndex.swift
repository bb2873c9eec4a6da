import Contracts
import Persistence

/// Keeps what searches find in step with the media.
struct MediaSearchIndex: MediaObserver {
  static let text = TextIndex("media")

  /// The values that media are filtered by.
  enum Value {
    /// Ready, and for everyone.
    static let forEveryone = "public"
    /// Ready, and for the owner's connections.
    static let forConnections = "shared"

    static let (kinds, tags, owners) = ("kind:", "tag:", "owner:")
    static let (workoutTypes, productTypes) = ("workout:", "product:")

    static func owner(_ id: UserID) -> String { "\(owners)\(id)" }
  }

  func changed(_ stored: StoredMedia, in tx: Transaction) throws {
    guard stored.deletedAt == nil else { return try deleted(stored.id, in: tx) }
    try Self.text.put(Self.document(stored.media), in: tx)
    try SortKeyStore.put(stored.media, in: tx)
  }

  func deleted(_ id: MediaID, in tx: Transaction) throws {
    try Self.text.remove(id.rawValue, in: tx)
    try SortKeyStore.delete(id, in: tx)
    try SavedMediaStore.delete(id, in: tx)
  }

  private static func document(_ media: Media) -> TextDocument {
    var values = ["\(Value.kinds)\(media.kind.rawValue)", Value.owner(media.owner)]
    values += media.tags.map { "\(Value.tags)\($0.rawValue)" }
    var words = media.tags.map(\.rawValue)
    if let type = media.workoutType?.rawValue {
      words.append(type)
      values.append("\(Value.workoutTypes)\(type)")
    }
    if let type = media.productType?.rawValue {
      words.append(type)
      values.append("\(Value.productTypes)\(type)")
    }
    if media.state == .ready {
      switch media.visibility {
      case .everyone: values.append(Value.forEveryone)
      case .connections: values.append(Value.forConnections)
      case .owner: break
      }
    }
    return TextDocument(
      media.id.rawValue,
      [media.title?.rawValue ?? "", words.joined(separator: " "), media.description?.rawValue ?? ""],
      values: values)
  }
}
