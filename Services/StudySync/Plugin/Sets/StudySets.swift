import Contracts
import Persistence
import PlatformRules
import ServiceKit
import SyncMerge

/// Study sets through plain requests, for clients without a copy of their own.
struct StudySets: Feature {
  let core: StudyCore
  private let reader: SetReader

  init(_ core: StudyCore) { (self.core, reader) = (core, SetReader(core)) }

  func register(in routes: inout Routes) {
    routes.on(StudyAPI.ListSets.self) { request, call in try await list(request, for: call.user.id) }
    routes.on(StudyAPI.CreateSet.self) { request, call in try await create(request, call) }
    routes.on(StudyAPI.GetSet.self) { request, call in try await reader.current(request.id, for: call.user.id) }
    routes.on(StudyAPI.UpdateSet.self) { request, call in try await update(request, by: call.user.id) }
    routes.on(StudyAPI.DeleteSet.self) { request, call in try await delete(request, by: call.user.id) }
    routes.on(StudyAPI.RestoreSet.self) { request, call in try await restore(request.id, by: call.user.id) }
    routes.on(StudyAPI.OpenSet.self) { request, call in try await open(request.id, by: call.user.id) }
  }

  /// An answer that is stored for retries, without the set's texts.
  struct Created: Codable, Sendable {
    var id: StudySetID
  }

  // MARK: reading

  private func list(_ request: StudyAPI.ListSets, for user: UserID) async throws -> Page<StudySet> {
    let page = try request.page(by: SetCursor.self)
    let (order, isDeleted) = (request.order ?? .newest, request.deleted ?? false)
    let now = core.time.now()
    let found = try await core.database.read { db in
      try page.fetch(
        { after, limit in
          let state: SQL =
            isDeleted
            ? "r.deleted_at IS NOT NULL AND r.expires_at > \(now) AND m.role = 'owner'" : "r.deleted_at IS NULL"
          return try SetReader.list(
            .and("m.user_id = \(user)", state, after?.condition(order)), SetCursor.sort(order), limit: limit, in: db)
        }, key: { SetCursor($0, order) })
    }
    return found.with(try await reader.view(found.rows))
  }

  // MARK: writing

  private func create(_ request: StudyAPI.CreateSet, _ call: Call) async throws -> StudySet {
    let user = try call.user.id
    let id: StudySetID = core.ids.make()
    let fields = Self.fields(request.title, request.description.map { .set($0) } ?? .keep, request.tags)
    let created = try await core.database.write { [core] tx in
      try tx.idempotent(call.idempotencyKey) {
        try core.write(as: user, in: tx) { writer in
          try writer.requireRoomForSet()
          guard try writer.createSpace(id.space) else { throw Problem(.internalError) }
          try writer.put(fields, on: RecordID(trusted: id.rawValue), .sets, in: id.space)
        }
        return Created(id: id)
      }
    }
    return try await reader.current(created.id, for: user)
  }

  private func update(_ request: StudyAPI.UpdateSet, by user: UserID) async throws -> StudySet {
    let fields = Self.fields(request.title, request.description, request.tags)
    let base = JSONValue.object([
      ("title", request.base?.title.map { .string($0) }),
      ("description", request.base?.description.map { .string($0) }),
    ])
    try await core.database.write { [core] tx in
      try core.write(as: user, in: tx) { writer in
        let record = try writer.requireSet(request.id, .editor)
        try writer.requireVersion(request.ifMatch, of: record)
        try writer.put(fields, base: base.members, on: record, .sets, in: request.id.space)
      }
    }
    return try await reader.current(request.id, for: user)
  }

  private static func fields(_ title: SetTitle?, _ description: Patch<SetDescription>, _ tags: [StudyTag]?)
    -> [JSONValue.Member]
  {
    let description: String? =
      switch description {
      case .keep: nil
      case .remove: ""
      case .set(let text): text.rawValue
      }
    return JSONValue.object([
      ("title", title.map { .string($0.rawValue) }), ("description", description.map { .string($0) }),
      ("tags", tags.map { .array($0.map { .string($0.rawValue) }) }),
    ]).members
  }

  private func delete(_ request: StudyAPI.DeleteSet, by user: UserID) async throws {
    try await core.database.write { [core] tx in
      try core.write(as: user, in: tx) { writer in
        let record = try writer.requireSet(request.id, .owner)
        try writer.requireVersion(request.ifMatch, of: record)
        try writer.change(.delete, record, .sets, in: request.id.space)
      }
    }
  }

  private func restore(_ id: StudySetID, by user: UserID) async throws -> StudySet {
    try await core.database.write { [core] tx in
      try core.write(as: user, in: tx) { writer in
        do {
          _ = try writer.requireSet(id, .owner)
          return  // It is not deleted.
        } catch let problem as Problem where problem.is(.studySetNotFound) {}
        let record = try writer.requireSet(id, .owner, isDeleted: true)
        guard writer.canRestore(record) else { throw Problem(.studySetNotFound) }
        try writer.change(.restore, record, .sets, in: id.space)
      }
    }
    return try await reader.current(id, for: user)
  }

  private func open(_ id: StudySetID, by user: UserID) async throws {
    try await core.database.write { tx in
      _ = try SetReader.get(id, for: user, in: tx)
      try SetVisitStore.record(id, by: user, at: tx.now, in: tx)
    }
  }

  // MARK: privacy

  func export(_ user: UserID, in db: any Connection) throws -> [(section: String, content: JSONValue)] {
    let visits = try SetVisitStore.list(of: user, in: db).map { visit -> JSONValue in
      ["set": .string(visit.set.rawValue), "openedAt": .string(visit.at.description)]
    }
    return [("openedSets", .array(visits))]
  }

  /// May run again after a conflict: a name that is removed too early is only asked for again.
  func erase(_ user: UserID, in tx: Transaction) throws {
    try SetVisitStore.delete(of: user, in: tx)
    core.names.remove(user)
  }
}

extension SpaceWriter {
  func requireVersion(_ ifMatch: EntityTag?, of record: RecordID) throws {
    try ifMatch?.require(Int(self.record(record)?.stored.sequence ?? 0))
  }

  /// Whether a deleted record still has its content.
  func canRestore(_ record: RecordID) -> Bool {
    guard let (stored, content) = self.record(record), let expiresAt = stored.expiresAt else { return false }
    return tx.now < expiresAt && RecordRules.isRestorable(content, stored.collection)
  }
}

/// A position in a list of sets.
private struct SetCursor: PageCursor {
  var key: Int64
  var number: Int64

  init(_ row: SetRow, _ order: SetOrder) {
    (key, number) = (order == .opened ? row.lastUse.microseconds : 0, row.number)
  }

  init?(cursor: String) {
    let parts = cursor.split(separator: "_", omittingEmptySubsequences: false)
    guard parts.count == 2, let key = Int64(parts[0]), let number = Int64(parts[1]) else { return nil }
    (self.key, self.number) = (key, number)
  }

  var cursor: String { "\(key)_\(number)" }

  static func sort(_ order: SetOrder) -> SQL {
    switch order {
    case .newest: "m.number DESC"
    case .opened: "\(lastUse) DESC, m.number DESC"
    }
  }

  func condition(_ order: SetOrder) -> SQL {
    switch order {
    case .newest: "m.number < \(number)"
    case .opened: "(\(Self.lastUse), m.number) < (\(key), \(number))"
    }
  }

  /// The sets of one user are few enough to be sorted.
  private static var lastUse: SQL {
    "(CASE WHEN v.opened_at > m.joined_at THEN v.opened_at ELSE m.joined_at END)"
  }
}
