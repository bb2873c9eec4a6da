import Contracts
import Persistence
import PlatformRules
import ServiceKit
import SyncMerge

/// Copies published sets.
struct LibraryCopies: Feature {
  private let core: StudyCore

  init(_ core: StudyCore) { self.core = core }

  func register(in routes: inout Routes) {
    routes.on(StudyAPI.CopyLibrarySet.self) { request, call in try await copy(request.id, call) }
  }

  /// The fields of a set and its cards that a copy has; what newer clients add to cards is copied too.
  private static let setFields = ["title", "description", "tags"]

  private func copy(_ id: StudySetID, _ call: Call) async throws -> StudySet {
    let user = try call.user.id
    let reader = SetReader(core)
    let known = try await core.database.read { db -> StudySets.Created? in
      try db.storedResponse(to: call.idempotencyKey)
    }
    if let known { return try await reader.current(known.id, for: user) }
    let original = try await core.database.read { db in
      let stored = try PublicationStore.get(id, in: db)
      guard try !ReportedBlocks.exist(between: user, and: stored.owner, in: db),
        let record = try RecordStore.find(RecordID(trusted: id.rawValue), in: db)
      else { throw Problem(.studySetNotFound) }
      return (owner: stored.owner, record: record)
    }
    let fields = try setFields(of: core.records.open(original.record), id, original.owner)
    let filling = SetFilling(core: core, user: user, set: core.ids.make())
    try await filling.begin()
    do {
      try await copyCards(of: id, into: filling)
      let created = try await core.database.write { tx in
        try tx.idempotent(call.idempotencyKey) {
          _ = try PublicationStore.get(id, in: tx)
          try filling.finish(fields, in: tx)
          try PublicationStore.countCopy(of: id, in: tx)
          return StudySets.Created(id: filling.set)
        }
      }
      // Another request with the same key was faster.
      if created.id != filling.set { await filling.cancel() }
      return try await reader.current(created.id, for: user)
    } catch {
      await filling.cancel()
      throw error
    }
  }

  private func setFields(of content: MergeRecord<JSONValue>, _ id: StudySetID, _ owner: UserID) throws
    -> [JSONValue.Member]
  {
    // Not the owner's name, which must not outlive the account.
    let origin: JSONValue = [
      "set": .string(id.rawValue), "title": content["title"] ?? "", "ownerID": .string(owner.rawValue),
    ]
    return content.fields.filter { Self.setFields.contains($0.name) }.map { .init(name: $0.name, value: $0.value) }
      + [.init(name: "origin", value: origin)]
  }

  /// Page by page, so that memory is bounded.
  private func copyCards(of id: StudySetID, into filling: SetFilling) async throws {
    var after: (position: String, id: RecordID)?
    while true {
      let start = after
      let (page, media) = try await core.database.read { db in
        let page = try RecordStore.page(.cards, of: id.space, after: start, limit: SetFilling.batch, in: db)
        return (page, try CardMediaStore.list(of: page.map(\.id), in: db).values.flatMap { $0 })
      }
      // Media that someone has only claimed to own do not become loadable by a copy.
      let claimed = Set(media.filter { $0.claimedBy != nil }.map(\.media))
      let usable = Set(media.map(\.media)).subtracting(claimed)
      guard let last = page.last else { return }
      after = (last.position, last.id)
      let cards = try page.map { stored -> SetFilling.Card in
        let fields = try core.records.open(stored).fields
        return SetFilling.Card(id: core.ids.make(), fields: fields.map { .init(name: $0.name, value: $0.value) })
      }
      try await filling.add(cards, with: usable)
      if page.count < SetFilling.batch { return }
    }
  }
}
