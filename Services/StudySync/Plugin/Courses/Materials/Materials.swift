import Contracts
import Persistence
import ServiceKit

/// The materials of courses: texts, links, media and study sets, in an order that instructors choose.
struct Materials: Feature {
  static let maxCount = 500

  private let core: CourseCore
  private let store: MaterialStore

  init(_ core: CourseCore) { (self.core, store) = (core, MaterialStore(keys: core.keys)) }

  func register(in routes: inout Routes) {
    routes.on(StudyAPI.ListMaterials.self) { request, call in try await list(request, for: core.caller(call)) }
    routes.on(StudyAPI.CreateMaterial.self) { request, call in
      try await create(request, by: core.caller(call), call.idempotencyKey)
    }
    routes.on(StudyAPI.UpdateMaterial.self) { request, call in try await update(request, by: core.caller(call)) }
    routes.on(StudyAPI.DeleteMaterial.self) { request, call in try await delete(request, by: core.caller(call)) }
    routes.on(StudyAPI.OrderMaterials.self) { request, call in try await order(request, by: core.caller(call)) }
    routes.on(StudyAPI.DetachSet.self) { request, call in try await detach(request, by: call.user.id) }
  }

  private func list(_ request: StudyAPI.ListMaterials, for user: UserID) async throws -> Page<CourseMaterial> {
    let page = try request.page(by: MaterialStore.Cursor.self, limit: 50)
    let found = try await core.database.read { db in
      _ = try CourseAccess(request.course, of: user, in: db)
      return try page.fetch(
        { try MaterialStore.list(of: request.course, after: $0, limit: $1, in: db) }, key: { .init($0) })
    }
    return found.with(try found.rows.map(store.open))
  }

  private func create(_ request: StudyAPI.CreateMaterial, by user: UserID, _ key: IdempotentRequest?) async throws
    -> CourseMaterial
  {
    let kind = try Self.kind(of: request)
    let content = MaterialStore.Content(
      title: request.title, text: request.text, url: request.url, media: request.media)
    let id: MaterialID = core.ids.make()
    try await core.media.require(request.media, of: user, for: id.topic)
    let stored = try await core.database.write { tx in
      let access = try CourseAccess.teaching(request.course, user, in: tx)
      let id = try tx.idempotent(key) {
        try access.requireActive()
        let end = try MaterialStore.end(of: request.course, in: tx)
        guard end.count < Self.maxCount else { throw Problem(.courseLimit) }
        if let set = request.set { try requireAttachable(set, to: request.course, by: user, in: tx) }
        let material = StoredMaterial(
          id: id, course: request.course, position: end.position + 1, kind: kind,
          sealed: try store.seal(content, of: id), set: request.set, createdAt: tx.now, version: 1)
        try MaterialStore.insert(material, in: tx)
        try CourseMedia.report(request.media, in: material, tx)
        if let set = request.set { try core.sets.adjust(set, of: request.course, in: tx) }
        try changed(request.course, id, tx)
        return id
      }
      return try MaterialStore.get(id, of: request.course, in: tx)
    }
    return try store.open(stored)
  }

  private static func kind(of request: StudyAPI.CreateMaterial) throws -> CourseMaterial.Kind {
    let given: [(CourseMaterial.Kind, Bool)] = [
      (.link, request.url != nil), (.media, request.media != nil), (.set, request.set != nil),
    ]
    let kinds = given.filter(\.1).map(\.0)
    guard kinds.count <= 1 else { throw Problem.invalid("url", "excludes media and set") }
    guard let kind = kinds.first else {
      guard request.text != nil else { throw Problem.invalid("text", "is required without url, media and set") }
      return .text
    }
    return kind
  }

  private func requireAttachable(_ set: StudySetID, to course: CourseID, by user: UserID, in tx: Transaction) throws {
    guard let role = try SpaceStore.role(of: user, in: set.space, tx), role == .owner,
      try RecordStore.find(RecordID(trusted: set.rawValue), in: tx)?.deletedAt == nil
    else { throw Problem(.setNotAttachable) }
    let attached = try MaterialStore.sets(of: course, in: tx)
    guard !attached.contains(set) else { throw Problem(.setNotAttachable) }
    guard attached.count < CourseSets.maxCount else { throw Problem(.courseLimit) }
  }

  private func update(_ request: StudyAPI.UpdateMaterial, by user: UserID) async throws -> CourseMaterial {
    let stored = try await core.database.write { tx in
      _ = try CourseAccess.editing(request.course, user, in: tx)
      var material = try MaterialStore.get(request.id, of: request.course, in: tx)
      try request.ifMatch?.require(material.version)
      if request.url != nil, material.kind != .link { throw Problem.invalid("url", "is for links only") }
      var content = try store.content(material)
      content.title = request.title ?? content.title
      content.text = request.text.applied(to: content.text)
      content.url = request.url ?? content.url
      guard material.kind != .text || content.text != nil else { throw Problem.invalid("text", "is required") }
      material.sealed = try store.seal(content, of: material.id)
      try MaterialStore.update(material, in: tx)
      try changed(request.course, request.id, tx)
      material.version += 1
      return material
    }
    return try store.open(stored)
  }

  private func delete(_ request: StudyAPI.DeleteMaterial, by user: UserID) async throws {
    try await core.database.write { tx in
      _ = try CourseAccess.editing(request.course, user, in: tx)
      let material = try MaterialStore.get(request.id, of: request.course, in: tx)
      if let set = material.set { try core.sets.adjust(set, of: request.course, in: tx) }
      try MaterialStore.delete(material.id, in: tx)
      try CourseMedia.reportDeleted(material, in: tx)
      try changed(request.course, request.id, tx)
    }
  }

  private func order(_ request: StudyAPI.OrderMaterials, by user: UserID) async throws {
    try await core.database.write { tx in
      _ = try CourseAccess.editing(request.course, user, in: tx)
      let before = try MaterialStore.list(of: request.course, after: nil, limit: Self.maxCount, in: tx)
      guard request.materials.count == before.count, Set(request.materials) == Set(before.map(\.id)) else {
        throw Problem.invalid("materials", "must be all materials of the course, each once")
      }
      let positions = Dictionary(before.map { ($0.id, $0.position) }) { first, _ in first }
      for (index, id) in request.materials.enumerated() where positions[id] != Int64(index) + 1 {
        try MaterialStore.move(id, to: Int64(index) + 1, in: tx)
      }
      try CourseEvents.changed("materials.changed", in: request.course, tx)
    }
  }

  /// Also from archived courses, and from those that an earlier owner of the set has attached it to.
  private func detach(_ request: StudyAPI.DetachSet, by user: UserID) async throws {
    try await core.database.write { tx in
      guard try SetReader.get(request.id, for: user, in: tx).role == .owner else {
        throw Problem(.forbidden, detail: "Only the owner can do this.")
      }
      guard let material = try MaterialStore.find(request.id, in: request.course, tx) else { return }
      try core.sets.adjust(request.id, of: request.course, in: tx)
      try MaterialStore.delete(material, in: tx)
      try changed(request.course, material, tx)
    }
  }

  private func changed(_ course: CourseID, _ id: MaterialID, _ tx: Transaction) throws {
    try CourseEvents.changed("materials.changed", id.rawValue, in: course, tx)
  }
}
