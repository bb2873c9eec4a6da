import Contracts
import Persistence
import ServiceKit
import ServiceLifecycle

/// Courses: created, edited and archived by their instructors.
struct Courses: Feature {
  /// Active courses of an owner.
  static let maxActive = 200

  private let core: CourseCore
  private let membership: CourseMembership

  init(_ core: CourseCore) { (self.core, membership) = (core, CourseMembership(core)) }

  func register(in routes: inout Routes) {
    routes.on(StudyAPI.ListCourses.self) { request, call in try await list(request, of: core.caller(call)) }
    routes.on(StudyAPI.CreateCourse.self, create)
    routes.on(StudyAPI.GetCourse.self) { request, call in try await get(request.id, for: core.caller(call)) }
    routes.on(StudyAPI.UpdateCourse.self) { request, call in try await update(request, by: core.caller(call)) }
    routes.topics(CourseEvents.topicKind) { reader, topics in
      let ids = topics.filter { $0.part == nil }.compactMap { CourseID(String($0.id)) }
      let own = try await core.database.read { db in try CourseMemberStore.courses(among: ids, of: reader.id, in: db) }
      return topics.filter { topic in
        topic.part == nil && CourseID(String(topic.id)).map { own.contains($0) } == true
      }
    }
    routes.readers(CourseEvents.topicKind) { reader, courses in
      try await core.database.read { db in try CourseMedia.readableCourses(courses, by: reader, in: db) }
    }
  }

  var workers: [any Service] { core.sets.workers + core.notices.workers }

  private func list(_ request: StudyAPI.ListCourses, of user: UserID) async throws -> Page<Course> {
    let page = try request.page(by: CourseID.self)
    let found = try await core.database.read { db in
      try page.fetch(
        { try CourseStore.list(request.state, of: user, after: $0, limit: $1, in: db) }, key: { $0.id })
    }
    return found.with(try found.rows.map(core.store.open))
  }

  private func create(_ request: StudyAPI.CreateCourse, _ call: Call) async throws -> Course {
    let user = try core.caller(call)
    guard try CourseCore.mayTeach(call.user) else {
      throw Problem(.forbidden, detail: "Only instructors create courses.")
    }
    let content = CourseStore.Content(
      title: request.title, description: request.description, term: request.term)
    let id = try await core.database.write { tx in
      try tx.idempotent(call.idempotencyKey) {
        guard try CourseStore.activeCount(of: user, in: tx) < Self.maxActive else { throw Problem(.courseLimit) }
        let id: CourseID = core.ids.make()
        try core.store.insert(id, content, color: request.color, in: tx)
        try membership.add(user, to: id, as: .owner, in: tx)
        return id
      }
    }
    return try await get(id, for: user)
  }

  private func get(_ id: CourseID, for user: UserID) async throws -> Course {
    try core.store.open(try await core.database.read { db in try CourseStore.get(id, of: user, in: db) })
  }

  private func update(_ request: StudyAPI.UpdateCourse, by user: UserID) async throws -> Course {
    try await core.database.write { tx in
      let access = try CourseAccess.teaching(request.id, user, in: tx)
      var course = try CourseStore.get(request.id, of: user, in: tx)
      if let state = request.state, state != course.state {
        try access.requireOwner()
        if try state == .active && CourseStore.activeCount(of: user, in: tx) >= Self.maxActive {
          throw Problem(.courseLimit)
        }
        course.state = state
      } else {
        try access.requireActive()
      }
      try request.ifMatch?.require(course.version)
      var content = try core.store.content(course)
      content.title = request.title ?? content.title
      content.description = request.description.applied(to: content.description)
      content.term = request.term.applied(to: content.term)
      course.sealed = try core.store.seal(content, of: course.id)
      course.color = request.color.applied(to: course.color)
      try CourseStore.update(course, in: tx)
      try CourseEvents.changed("course.changed", in: request.id, tx)
    }
    return try await get(request.id, for: user)
  }

  // MARK: privacy

  func export(_ user: UserID, in db: any Connection) throws -> [(section: String, content: JSONValue)] {
    let courses = try CourseStore.list(nil, of: user, after: nil, limit: .max, in: db)
    return [("courses", .array(try courses.map { try JSONValue(core.store.open($0)) }))]
  }

  /// A course passes to the instructor who has been there longest; without another instructor it is archived, and its
  /// students keep it to read.
  func erase(_ user: UserID, in tx: Transaction) throws {
    for (course, role) in try CourseMemberStore.memberships(of: user, in: tx) {
      try membership.remove(user, from: course, in: tx)
      guard role == .owner else { continue }
      if let heir = try CourseMemberStore.firstInstructor(of: course, in: tx) {
        try membership.change(heir, of: course, to: .owner, in: tx)
      } else {
        try CourseStore.archive(course, in: tx)
      }
      try CourseEvents.changed("course.changed", in: course, tx)
    }
  }
}
