import Contracts
import Persistence
import PlatformRules
import ServiceKit
import ServiceLifecycle
import SyncMerge

/// Published sets, which everyone can find and read.
struct Library: Feature {
  private static let maxPublications = 50

  private let core: StudyCore
  private let indexing: DurableJobs<LibraryObserver.Work>

  init(_ core: StudyCore) throws {
    self.core = core
    let database = core.database
    indexing = try DurableJobs(LibraryObserver.kind, core.environment) { work, job in
      try await database.write { tx in
        guard try job.complete(in: tx) else { return }
        try PublicationStore.updateIndex(of: work.set, in: tx)
      }
      return .done
    }
  }

  var workers: [any Service] {
    let filling = core.environment.indexFilling("library") { [database = core.database] in
      try await PublicationStore.fillIndex(database)
    }
    return [indexing, filling]
  }

  func register(in routes: inout Routes) {
    routes.on(StudyAPI.PublishSet.self) { request, call in try await publish(request.id, by: call.user) }
    routes.on(StudyAPI.UnpublishSet.self) { request, call in try await unpublish(request.id, by: call.user.id) }
    routes.on(StudyAPI.SearchLibrary.self) { request, _ in try await search(request) }
    routes.on(StudyAPI.GetLibrarySet.self) { request, _ in
      try await view(core.database.read { db in try PublicationStore.get(request.id, in: db) })
    }
    routes.previews("set") { id in
      try await core.database.read { db in try PublicationStore.find(id, in: db) }.flatMap { set in
        guard set.removedAt == nil else { return nil }
        let text = set.description.isEmpty ? nil : set.description
        return LinkPreview(type: .website, title: set.title, description: text)
      }
    }
    routes.on(StudyAPI.ListLibraryCards.self) { request, _ in try await cards(request) }
  }

  // MARK: publishing

  private func publish(_ id: StudySetID, by user: UserCaller) async throws -> LibrarySet {
    guard !user.roles.contains(.guest) else { throw Problem(.forbidden, detail: "Guests must sign up to publish.") }
    let stored = try await core.database.write { [core] tx in
      let row = try SetReader.get(id, for: user.id, in: tx)
      guard row.role == .owner else { throw Problem(.forbidden, detail: "Only the owner can publish a set.") }
      let known = try PublicationStore.find(id, in: tx)
      guard known?.removedAt == nil else { throw Problem(.publicationRemoved) }
      guard try known != nil || PublicationStore.count(of: user.id, in: tx) < Self.maxPublications else {
        throw Problem(.tooManyPublications, detail: "A user can publish \(Self.maxPublications) sets.")
      }
      try PublicationStore.put(id, of: user.id, PublishedTexts(core.records.open(row.record)), in: tx)
      try PublicationStore.updateIndex(of: id, in: tx)
      return try PublicationStore.get(id, in: tx)
    }
    return try await view(stored)
  }

  private func unpublish(_ id: StudySetID, by user: UserID) async throws {
    try await core.database.write { tx in
      guard try SetReader.get(id, for: user, in: tx).role == .owner else {
        throw Problem(.forbidden, detail: "Only the owner can do this.")
      }
      guard try PublicationStore.find(id, in: tx)?.removedAt == nil else { return }
      try PublicationStore.delete(id, in: tx)
      try LibraryReportStore.delete(of: id, in: tx)
    }
  }

  // MARK: reading

  private func search(_ request: StudyAPI.SearchLibrary) async throws -> Page<LibrarySet> {
    let page = try request.page(by: LibraryCursor.self)
    let order = request.order ?? .newest
    if let query = request.query { return try await matches(of: query, limit: page.limit) }
    let found = try await core.database.read(.snapshot) { db in
      try page.fetch(
        { after, limit in
          try PublicationStore.list(
            .and("p.removed_at IS NULL", after?.condition(order)), LibraryCursor.sort(order), limit: limit, in: db)
        }, key: { LibraryCursor($0, order) })
    }
    return found.with(try await view(found.rows))
  }

  /// Matches are ranked, so there is only one page.
  private func matches(of query: String, limit: Int) async throws -> Page<LibrarySet> {
    let found = try await core.database.read(.snapshot) { db in
      let ids = try PublicationStore.index.search(query, limit: limit, in: db)
      let sets = try PublicationStore.list(
        "p.set_id IN \(list: ids) AND p.removed_at IS NULL", "p.set_id", limit: limit, in: db)
      let byID = Dictionary(sets.map { ($0.set.rawValue, $0) }) { first, _ in first }
      return ids.compactMap { byID[$0] }
    }
    return Page(items: try await view(found))
  }

  private func cards(_ request: StudyAPI.ListLibraryCards) async throws -> Page<LibraryCard> {
    let page = try request.page(by: CardCursor.self)
    let found = try await core.database.read { db in
      _ = try PublicationStore.get(request.id, in: db)
      return try page.fetch(
        { after, limit in
          try RecordStore.page(
            .cards, of: request.id.space, after: after.map { ($0.position, $0.id) }, limit: limit, in: db)
        }, key: { CardCursor($0) })
    }
    let items = try found.rows.map { stored -> LibraryCard in
      let card = try core.records.card(stored)
      return LibraryCard(
        id: card.id, front: card.front, back: card.back, tags: card.tags, attachments: card.attachments)
    }
    return found.with(items)
  }

  private func view(_ rows: [PublicationStore.Stored]) async throws -> [LibrarySet] {
    let names = await core.names.of(rows.map(\.owner))
    return rows.map { row in
      LibrarySet(
        id: row.set, title: row.title, description: row.description.isEmpty ? nil : row.description, tags: row.tags,
        ownerID: row.owner, owner: names[row.owner], cardCount: row.cardCount, copies: row.copies,
        publishedAt: row.publishedAt)
    }
  }

  private func view(_ row: PublicationStore.Stored) async throws -> LibrarySet {
    guard let set = try await view([row]).first else { throw Problem(.studySetNotFound) }
    return set
  }

  // MARK: privacy

  /// The sets of a deleted account are deleted or inherited with their content.
  func export(_ user: UserID, in db: any Connection) throws -> [(section: String, content: JSONValue)] {
    let rows = try PublicationStore.list("p.owner_id = \(user)", "p.set_id", limit: SyncPush.maxSpaces, in: db)
    let content = rows.map { row -> JSONValue in
      .object([
        ("set", .string(row.set.rawValue)), ("title", .string(row.title)),
        ("publishedAt", .string(row.publishedAt.description)), ("copies", .integer(Int64(row.copies))),
        ("removedAt", row.removedAt.map { .string($0.description) }),
      ])
    }
    return [("publications", .array(content))]
  }
}

/// The library follows edits of published sets, by whatever way they come.
struct LibraryObserver: StudyObserver {
  struct Work: Codable, Sendable {
    var set: StudySetID
  }

  static let kind = "library-index"
  /// Sets of one transaction that searches find at once; the others follow in the background.
  private static let maxIndexed = 20

  private let pending: PendingJobs<Work>

  init(_ environment: ServiceEnvironment) { pending = PendingJobs(Self.kind, environment) }

  func recordsChanged(_ changes: [RecordChange], by user: UserID, in tx: Transaction) throws {
    var indexed = 0
    for change in changes where change.collection == .sets && change.before != nil {
      let set = StudySetID(trusted: change.id.rawValue)
      guard let publication = try PublicationStore.find(set, in: tx), publication.removedAt == nil else { continue }
      if change.after.isDeleted {
        try PublicationStore.delete(set, in: tx)
      } else {
        try PublicationStore.put(set, of: publication.owner, PublishedTexts(change.after), in: tx)
        indexed += 1
        if indexed <= Self.maxIndexed {
          try PublicationStore.updateIndex(of: set, in: tx)
        } else {
          try pending.add(Work(set: set), id: "\(Self.kind):\(set)", in: tx)
        }
      }
    }
  }
}

extension PublishedTexts {
  init(_ content: MergeRecord<JSONValue>) {
    self.init(
      title: content["title"]?.string ?? "", description: content["description"]?.string ?? "", tags: content.tags)
  }
}

/// A position in a list of published sets.
private struct LibraryCursor: PageCursor {
  var key: Int64
  var id: StudySetID

  init(_ row: PublicationStore.Stored, _ order: LibraryOrder) {
    (key, id) = (order == .newest ? row.publishedAt.microseconds : Int64(row.copies), row.set)
  }

  init?(cursor: String) {
    let parts = cursor.split(separator: "_", omittingEmptySubsequences: false)
    guard parts.count == 2, let key = Int64(parts[0]), let id = StudySetID(String(parts[1])) else { return nil }
    (self.key, self.id) = (key, id)
  }

  var cursor: String { "\(key)_\(id)" }

  static func sort(_ order: LibraryOrder) -> SQL {
    switch order {
    case .newest: "p.published_at DESC, p.set_id DESC"
    case .popular: "p.copies DESC, p.set_id DESC"
    }
  }

  func condition(_ order: LibraryOrder) -> SQL {
    switch order {
    case .newest: "(p.published_at, p.set_id) < (\(key), \(id))"
    case .popular: "(p.copies, p.set_id) < (\(key), \(id))"
    }
  }
}
