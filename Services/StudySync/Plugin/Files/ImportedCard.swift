import Contracts
import StudyFiles

/// A card of a file as the fields of a record.
struct ImportedCard: Sendable {
  var fields: [JSONValue.Member]
  var reviews: [StudyFileReview]
  /// Among all cards that the file's reader returns.
  var ordinal: Int

  /// The bytes that it takes when it is stored.
  var bytes: Int { fields.reduce(64 * reviews.count) { $0 + Self.bytes(of: $1.value) } }

  private static func bytes(of value: JSONValue) -> Int {
    if let text = value.string { return text.utf8.count + 16 }
    let parts = value.elements.reduce(16) { $0 + bytes(of: $1) }
    return value.members.reduce(parts) { $0 + bytes(of: $1.value) }
  }

  static let maxTags = 50
  private static let maxTagLength = 60
  private static let maxDetailLength = 1000

  /// - Parameter media: The media that are stored, by their names in the file; of the others, the card keeps the names.
  /// - Returns: `nil` when the card is too long for a record.
  init?(_ card: StudyFileCard, ordinal: Int, media: [String: MediaID] = [:]) {
    self.ordinal = ordinal
    reviews = card.schedule?.reviews ?? []
    let sides = [(CardSide.front, card.frontMedia), (.back, card.backMedia)]
    let names = sides.flatMap { side, names in names.map { (side: side, name: $0) } }
    let (stored, others) = (names.filter { media[$0.name] != nil }, names.filter { media[$0.name] == nil })
    let attachments = stored.compactMap { item in
      media[item.name].map { id -> JSONValue in
        ["media": .string(id.rawValue), "side": .string(item.side.rawValue), "name": .string(item.name)]
      }
    }
    let mediaNames = others.map { item -> JSONValue in
      ["name": .string(Self.clean(item.name)), "side": .string(item.side.rawValue)]
    }
    let tags = card.tags.map { String(Self.clean($0).prefix(Self.maxTagLength)) }.filter { !$0.isEmpty }
    fields =
      JSONValue.object([
        ("front", .string(Self.clean(card.front))), ("back", .string(Self.clean(card.back))),
        ("tags", tags.isEmpty ? nil : .array(tags.map { .string($0) })),
        ("attachments", attachments.isEmpty ? nil : .array(attachments)),
        ("mediaNames", mediaNames.isEmpty ? nil : .array(mediaNames)),
        ("deck", card.deck.map { .string(String(Self.clean($0).prefix(Self.maxDetailLength))) }),
        ("sourceID", card.id.map { .string(String(Self.clean($0).prefix(Self.maxDetailLength))) }),
      ]).members
    do { try RecordRules.check(SyncFields(fields), of: .cards) } catch { return nil }
  }

  /// Without the control characters that records must not have.
  private static func clean(_ text: String) -> String {
    func isControl(_ scalar: Unicode.Scalar) -> Bool {
      scalar.properties.generalCategory == .control && scalar != "\n" && scalar != "\t"
    }
    guard text.unicodeScalars.contains(where: isControl) else { return text }
    return String(String.UnicodeScalarView(text.unicodeScalars.filter { !isControl($0) }))
  }
}

extension StudyFileCard {
  /// A card of a set.
  init(_ card: StudyCard, deck: String?, sourceID: String?, schedule: StudyFileSchedule?) {
    func media(_ side: CardSide) -> [String] {
      card.attachments.filter { $0.side == side }.compactMap { $0.name?.rawValue }
        + (card.mediaNames ?? []).filter { $0.side == side }.map(\.name)
    }
    self.init(
      id: sourceID ?? card.id.rawValue, front: card.front, back: card.back, tags: card.tags, deck: deck,
      frontMedia: media(.front), backMedia: media(.back), schedule: schedule)
  }
}
