import Contracts
import Persistence
import PlatformRules
import ServiceKit
import SyncMerge

/// Cards of sets through plain requests.
struct Cards: Feature {
  private let core: StudyCore
  private let media: MediaUses

  init(_ core: StudyCore) { (self.core, media) = (core, MediaUses(core.environment)) }

  func register(in routes: inout Routes) {
    routes.on(StudyAPI.ListCards.self) { request, call in try await list(request, for: call.user.id) }
    routes.on(StudyAPI.CreateCard.self) { request, call in try await create(request, call) }
    routes.on(StudyAPI.GetCard.self) { request, call in try await get(request.id, for: call.user.id) }
    routes.on(StudyAPI.UpdateCard.self) { request, call in try await update(request, by: call.user.id) }
    routes.on(StudyAPI.DeleteCard.self) { request, call in try await delete(request, by: call.user.id) }
    routes.on(StudyAPI.RestoreCard.self) { request, call in try await restore(request.id, by: call.user.id) }
    routes.on(StudyAPI.MoveCard.self) { request, call in try await move(request, by: call.user.id) }
    routes.readers(CardMedia.kind) { reader, sets in
      try await core.database.read { db in try CardMedia.readable(sets, by: reader, in: db) }
    }
  }

  // MARK: reading

  private func list(_ request: StudyAPI.ListCards, for user: UserID) async throws -> Page<StudyCard> {
    let page = try request.page(by: CardCursor.self)
    // A deleted card has its content for so long after its last edit; then it expires anew, without it.
    let since = core.time.now().advanced(bySeconds: -SyncRetention.restoreSeconds)
    let found = try await core.database.read { db in
      let role = try SetReader.get(request.id, for: user, in: db).role
      guard request.deleted != true || role >= .editor else {
        throw Problem(.forbidden, detail: "Only those who may edit the set see deleted cards.")
      }
      return try page.fetch(
        { after, limit in
          guard request.deleted == true else {
            return try RecordStore.page(
              .cards, of: request.id.space, after: after.map { ($0.position, $0.id) }, limit: limit, in: db)
          }
          return try RecordStore.list(
            .and(
              "space_id = \(request.id.space)", "collection = 'cards'", "deleted_at IS NOT NULL",
              "changed_at > \(since)", after.map { "id > \($0.id)" }), "id", limit: limit, in: db)
        }, key: { CardCursor($0) })
    }
    return found.with(try found.rows.map { try core.records.card($0) })
  }

  private func get(_ id: CardID, for user: UserID) async throws -> StudyCard {
    let stored = try await core.database.read { db in
      guard let stored = try RecordStore.find(RecordID(trusted: id.rawValue), in: db), stored.collection == .cards,
        stored.deletedAt == nil
      else { throw Problem(.cardNotFound) }
      do {
        _ = try SetReader.get(StudySetID(trusted: stored.space.rawValue), for: user, in: db)
      } catch let problem as Problem where problem.is(.studySetNotFound) {
        throw Problem(.cardNotFound)
      }
      return stored
    }
    return try core.records.card(stored)
  }

  // MARK: writing

  /// An answer that is stored for retries, without the card's texts.
  private struct Created: Codable, Sendable {
    var id: CardID
  }

  private func create(_ request: StudyAPI.CreateCard, _ call: Call) async throws -> StudyCard {
    let user = try call.user.id
    let id: CardID = core.ids.make()
    let owned = try await requireMedia(request.attachments, of: RecordID(trusted: id.rawValue), by: user)
    let created = try await core.database.write { [core] tx in
      try tx.idempotent(call.idempotencyKey) {
        try core.write(as: user, in: tx) { writer in
          writer.ownedMedia = owned
          _ = try writer.requireSet(request.id, .editor)
          try writer.requireRoom(for: 1, in: request.id)
          let last = try request.position == nil ? CardOrder.last(of: request.id, in: tx) : nil
          let position = request.position?.rawValue ?? FractionalIndex.between(last, nil) ?? last
          let fields = JSONValue.object([
            ("front", .string(request.front.rawValue)), ("back", .string(request.back.rawValue)),
            ("tags", request.tags.map { .array($0.map { .string($0.rawValue) }) }),
            ("attachments", try request.attachments.map { try JSONValue($0) }),
            ("position", position.map { .string($0) }),
          ])
          try writer.put(fields.members, on: RecordID(trusted: id.rawValue), .cards, in: request.id.space)
        }
        return Created(id: id)
      }
    }
    return try await get(created.id, for: user)
  }

  private func update(_ request: StudyAPI.UpdateCard, by user: UserID) async throws -> StudyCard {
    let fields = JSONValue.object([
      ("front", request.front.map { .string($0.rawValue) }), ("back", request.back.map { .string($0.rawValue) }),
      ("tags", request.tags.map { .array($0.map { .string($0.rawValue) }) }),
      ("attachments", try request.attachments.map { try JSONValue($0) }),
    ])
    let base = JSONValue.object([
      ("front", request.base?.front.map { .string($0) }), ("back", request.base?.back.map { .string($0) }),
    ])
    let owned = try await requireMedia(request.attachments, of: RecordID(trusted: request.id.rawValue), by: user)
    try await core.database.write { [core] tx in
      try core.write(as: user, in: tx) { writer in
        writer.ownedMedia = owned
        let card = try writer.requireCard(request.id, .editor)
        try writer.requireVersion(request.ifMatch, of: card.id)
        try writer.put(fields.members, base: base.members, on: card.id, .cards, in: card.stored.space)
      }
    }
    return try await get(request.id, for: user)
  }

  /// - Returns: The media that the card does not have yet, which are the user's own.
  private func requireMedia(_ attachments: [CardAttachment]?, of card: RecordID, by user: UserID) async throws
    -> Set<MediaID>
  {
    let attached = attachments?.map(\.media) ?? []
    guard !attached.isEmpty else { return [] }
    let known = try await core.database.read { db in
      try CardMediaStore.list(of: [card], in: db)[card]?.map(\.media) ?? []
    }
    let wanted = MediaUses.Wanted.items(attached, besides: known, MediaKind.allCases, at: "body.attachments")
    let checked = try await media.check(wanted, of: user, for: CardMedia.topic(card))
    if let problem = wanted.lazy.compactMap(checked.problem).first { throw problem }
    return checked.found
  }

  private func delete(_ request: StudyAPI.DeleteCard, by user: UserID) async throws {
    try await core.database.write { [core] tx in
      try core.write(as: user, in: tx) { writer in
        let card = try writer.requireCard(request.id, .editor)
        try writer.requireVersion(request.ifMatch, of: card.id)
        try writer.change(.delete, card.id, .cards, in: card.stored.space)
      }
    }
  }

  private func restore(_ id: CardID, by user: UserID) async throws -> StudyCard {
    try await core.database.write { [core] tx in
      try core.write(as: user, in: tx) { writer in
        do {
          _ = try writer.requireCard(id, .editor)
          return  // It is not deleted.
        } catch let problem as Problem where problem.is(.cardNotFound) {}
        let card = try writer.requireCard(id, .editor, isDeleted: true)
        guard writer.canRestore(card.id) else { throw Problem(.cardNotFound) }
        try writer.requireRoom(for: 1, in: StudySetID(trusted: card.stored.space.rawValue))
        try writer.change(.restore, card.id, .cards, in: card.stored.space)
      }
    }
    return try await get(id, for: user)
  }

  private func move(_ request: StudyAPI.MoveCard, by user: UserID) async throws -> StudyCard {
    let (location, neighbor, isAfter): (String, CardID, Bool)
    switch (request.before, request.after) {
    case (let card?, nil): (location, neighbor, isAfter) = ("body.before", card, false)
    case (nil, let card?): (location, neighbor, isAfter) = ("body.after", card, true)
    case (nil, nil), (_?, _?): throw Self.invalid("body.before", "or body.after is required, but not both")
    }
    guard neighbor != request.id else { throw Self.invalid(location, "must be another card") }
    try await core.database.write { [core] tx in
      try core.write(as: user, in: tx) { writer in
        let card = try writer.requireCard(request.id, .editor)
        try writer.requireVersion(request.ifMatch, of: card.id)
        let other = RecordID(trusted: neighbor.rawValue)
        try writer.load([other])
        guard let target = writer.record(other)?.stored, target.space == card.stored.space, target.deletedAt == nil,
          target.collection == .cards
        else { throw Self.invalid(location, "must be a card of the same set") }
        let moves = try CardOrder.moves(card.stored, nextTo: target, isAfter: isAfter, in: tx)
        try writer.load(moves.map(\.id))
        for move in moves {
          let position = JSONValue.Member(name: "position", value: .string(move.position))
          try writer.put([position], on: move.id, .cards, in: card.stored.space)
        }
      }
    }
    return try await get(request.id, for: user)
  }

  private static func invalid(_ location: String, _ message: String) -> Problem {
    Problem(.invalidRequest, errors: [.init(location: location, message: message)])
  }
}

extension RecordStore {
  func card(_ stored: StoredRecord) throws -> StudyCard { card(stored, try open(stored)) }

  func card(_ stored: StoredRecord, _ content: MergeRecord<JSONValue>) -> StudyCard {
    let attachments = content["attachments"]?.elements.compactMap { value -> CardAttachment? in
      guard let media = value["media"]?.string.flatMap({ MediaID($0) }) else { return nil }
      let side = value["side"]?.string.flatMap { CardSide(rawValue: $0) } ?? .front
      let name = value["name"]?.string.flatMap { try? StudyTag(validating: $0) }
      return CardAttachment(media: media, side: side, name: name)
    }
    let names = content["mediaNames"]?.elements.compactMap { value -> CardMediaName? in
      guard let name = value["name"]?.string else { return nil }
      return CardMediaName(name: name, side: value["side"]?.string.flatMap { CardSide(rawValue: $0) } ?? .front)
    }
    return StudyCard(
      id: CardID(trusted: stored.id.rawValue), set: StudySetID(trusted: stored.space.rawValue),
      front: content["front"]?.string ?? "", back: content["back"]?.string ?? "", tags: content.tags,
      attachments: attachments ?? [], mediaNames: names?.isEmpty == false ? names : nil, position: stored.position,
      variants: content.wireVariants, createdAt: stored.createdAt, changedAt: stored.changedAt,
      deletedAt: stored.deletedAt, version: Int(stored.sequence))
  }
}

/// A position in a list of cards.
struct CardCursor: PageCursor {
  var position: String
  var id: RecordID

  init(_ record: StoredRecord) { (position, id) = (record.position, record.id) }

  init?(cursor: String) {
    guard let bytes = Base64URL.decode(cursor), let text = String(validating: bytes, as: UTF8.self),
      let id = RecordID(String(text.prefix(36))), text.utf8.count <= 236,
      text.utf8.allSatisfy({ (33...126).contains($0) })
    else { return nil }
    (self.id, position) = (id, String(text.dropFirst(36)))
  }

  var cursor: String { Base64URL.encode(Array((id.rawValue + position).utf8)) }
}
