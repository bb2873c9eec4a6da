import Contracts
import Persistence
import ServiceKit
import TestKit
import Testing

@testable import StudySyncService

/// Every endpoint of courses called by everyone who may have to do with a course.
@Suite(.serialized)
struct CourseMatrixTests {
  enum Who: CaseIterable {
    case anonymous, guest, outsider, formerStudent, otherInstructor, administrator, student, coInstructor, owner
  }

  /// The status for those who are no members.
  private static let strangers: [Who: Int] = [
    .anonymous: 401, .guest: 403, .outsider: 404, .formerStudent: 404, .otherInstructor: 404, .administrator: 404,
  ]

  private struct Request {
    var method: Contracts.Operation.Method
    var path: String
    var body: String?

    init(_ method: Contracts.Operation.Method, _ path: String, _ body: String? = nil) {
      (self.method, self.path, self.body) = (method, path, body)
    }
  }

  private struct Row {
    let endpoint: String
    let expected: [Who: Int]
    /// Makes what the request needs, anew for each caller.
    let request: (Room) async throws -> Request

    init<E: Endpoint>(
      _ endpoint: E.Type, _ student: Int, _ coInstructor: Int, _ owner: Int, strangers: [Who: Int] = [:],
      _ request: @escaping (Room) async throws -> Request
    ) {
      self.endpoint = "\(E.self)"
      expected = CourseMatrixTests.strangers.merging(strangers) { $1 }
        .merging([.student: student, .coInstructor: coInstructor, .owner: owner]) { $1 }
      self.request = request
    }
  }

  private struct Room {
    let host: CourseHost
    let users: [Who: TestUser]
    let course, open: CourseID
    let code: CourseCode
    let assignment: Assignment
    /// The submissions of the student and of another one.
    let own, others: SubmissionID

    var owner: TestUser { get throws { try #require(users[.owner]) } }
    var student: TestUser { get throws { try #require(users[.student]) } }
    var path: String { "/v1/courses/\(course)" }

    func material() async throws -> MaterialID {
      try await owner.client.send(
        StudyAPI.CreateMaterial(course: course, title: ShortText(checked: "x"), text: CourseText(checked: "x"))
      ).id
    }

    func discussion(by user: TestUser) async throws -> DiscussionID {
      try await user.client.send(
        StudyAPI.StartDiscussion(course: course, title: ShortText(checked: "x"), text: CourseText(checked: "x"))
      ).id
    }

    func reply(by user: TestUser) async throws -> String {
      let discussion = try await discussion(by: user)
      let reply = try await user.client.send(
        StudyAPI.ReplyToDiscussion(course: course, discussion: discussion, text: CourseText(checked: "x")))
      return "\(path)/discussions/\(discussion)/replies/\(reply.id)"
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func everyoneGetsWhatTheirRoleAllows(_ database: TestDatabase) async throws {
    try await CourseHost.run(database) { host async throws in
      let room = try await room(host)
      let rows = courseRows + materialRows + workRows + discussionRows
      let all = StudyAPI.endpoints.filter { $0.operation.path.description.hasPrefix("/v1/course") }
      #expect(Set(rows.map(\.endpoint)) == Set(all.map { "\($0)" }))
      for row in rows {
        for who in Who.allCases {
          // The rate limits are not what is tested.
          host.test.time.advance(seconds: 600)
          let request = try await row.request(room)
          let response = try await host.test.send(
            request.method, request.path, request.body, by: room.users[who])
          #expect(response.status == row.expected[who], "\(row.endpoint) by \(who): \(request.path)")
        }
      }
    }
  }

  private func room(_ host: CourseHost) async throws -> Room {
    var users: [Who: TestUser] = [:]
    for who in [Who.outsider, .formerStudent, .student] { users[who] = try await host.user("\(who)".lowercased()) }
    for who in [Who.otherInstructor, .coInstructor, .owner] {
      users[who] = try await host.instructor("\(who)".lowercased())
    }
    users[.administrator] = try await host.user("boss", [.user, .administrator])
    users[.guest] = try await host.user(host.test.ids.make(), [.guest])
    let (owner, student) = (try #require(users[.owner]), try #require(users[.student]))
    let (former, second) = (try #require(users[.formerStudent]), try await host.user("second"))
    let (course, open) = (try await host.course(owner), try await host.course(owner))
    _ = try await host.course(try #require(users[.otherInstructor]))
    try await host.addInstructor(try #require(users[.coInstructor]), to: course, of: owner)
    try await host.join(course, of: owner, student, former, second)
    _ = try await former.client.send(StudyAPI.RemoveCourseMember(id: course, user: former.id))
    let assignment = try await host.assignment(course, by: owner, .afterReturn)
    let own = try await host.submit("Salve", assignment, course, by: student)
    let others = try await host.submit("Vale", assignment, course, by: second)
    let code = try #require(try await owner.client.send(StudyAPI.RenewCourseCode(id: open)).code)
    return Room(
      host: host, users: users, course: course, open: open, code: code, assignment: assignment, own: own.id,
      others: others.id)
  }

  private var courseRows: [Row] {
    let all: [Who: Int] = [.outsider: 200, .formerStudent: 200, .otherInstructor: 200, .administrator: 200]
    let creating: [Who: Int] = [.outsider: 403, .formerStudent: 403, .otherInstructor: 201, .administrator: 201]
    return [
      Row(StudyAPI.ListCourses.self, 200, 200, 200, strangers: all) { _ in Request(.get, "/v1/courses") },
      Row(StudyAPI.CreateCourse.self, 403, 201, 201, strangers: creating) { _ in
        Request(.post, "/v1/courses", #"{"title":"x"}"#)
      },
      Row(StudyAPI.GetCourse.self, 200, 200, 200) { Request(.get, $0.path) },
      Row(StudyAPI.UpdateCourse.self, 403, 200, 200) { Request(.patch, $0.path, #"{"term":"x"}"#) },
      Row(StudyAPI.UpdateCourse.self, 403, 403, 200) { room in
        // Archived by the owner, to be opened again by the caller.
        _ = try await room.owner.client.send(StudyAPI.UpdateCourse(id: room.course, state: .active))
        return Request(.patch, room.path, #"{"state":"archived"}"#)
      },
      Row(StudyAPI.UpdateCourse.self, 403, 403, 200) { Request(.patch, $0.path, #"{"state":"active"}"#) },
      Row(StudyAPI.ListCourseMembers.self, 200, 200, 200) { Request(.get, "\($0.path)/members") },
      Row(StudyAPI.RemoveCourseMember.self, 403, 204, 204) { room in
        let id: UserID = room.host.test.ids.make()
        try await room.host.database.write { tx in
          try CourseMemberStore.insert(id, into: room.course, as: .student, in: tx)
        }
        return Request(.delete, "\(room.path)/members/\(id)")
      },
      Row(StudyAPI.JoinCourse.self, 200, 200, 200, strangers: all) {
        Request(.post, "/v1/courses/join", #"{"code":"\#($0.code)"}"#)
      },
      Row(StudyAPI.GetCourseCode.self, 403, 200, 200) { Request(.get, "\($0.path)/code") },
      Row(StudyAPI.RenewCourseCode.self, 403, 200, 200) { Request(.post, "\($0.path)/code") },
      Row(StudyAPI.DisableCourseCode.self, 403, 204, 204) { Request(.delete, "\($0.path)/code") },
      Row(StudyAPI.InviteToCourse.self, 403, 201, 201) {
        Request(.post, "\($0.path)/invitations", #"{"email":"x@school.example"}"#)
      },
      Row(StudyAPI.InviteToCourse.self, 403, 403, 201) {
        Request(.post, "\($0.path)/invitations", #"{"email":"x@school.example","role":"instructor"}"#)
      },
      Row(StudyAPI.ListCourseInvitations.self, 403, 200, 200) { Request(.get, "\($0.path)/invitations") },
      Row(StudyAPI.DeleteCourseInvitation.self, 403, 204, 204) { room in
        let invitation = try await room.owner.client.send(
          StudyAPI.InviteToCourse(id: room.course, email: EmailAddress(checked: "y@school.example")))
        return Request(.delete, "\(room.path)/invitations/\(invitation.id)")
      },
      Row(StudyAPI.AcceptCourseInvitation.self, 200, 200, 200, strangers: all) { room in
        let token = try await room.host.invite("z@school.example", .student, to: room.open, by: room.owner)
        return Request(.post, "/v1/course-invitations/accept", #"{"token":"\#(token.rawValue)"}"#)
      },
    ]
  }

  private var materialRows: [Row] {
    [
      Row(StudyAPI.ListMaterials.self, 200, 200, 200) { Request(.get, "\($0.path)/materials") },
      Row(StudyAPI.CreateMaterial.self, 403, 201, 201) {
        Request(.post, "\($0.path)/materials", #"{"title":"x","text":"x"}"#)
      },
      Row(StudyAPI.UpdateMaterial.self, 403, 200, 200) {
        Request(.patch, "\($0.path)/materials/\(try await $0.material())", #"{"title":"y"}"#)
      },
      Row(StudyAPI.DeleteMaterial.self, 403, 204, 204) {
        Request(.delete, "\($0.path)/materials/\(try await $0.material())")
      },
      Row(StudyAPI.OrderMaterials.self, 403, 204, 204) { room in
        let materials = try await room.owner.client.send(
          StudyAPI.ListMaterials(course: room.course, limit: PageSize(checked: 100))
        ).items
        let ids = materials.reversed().map { #""\#($0.id)""# }.joined(separator: ",")
        return Request(.put, "\(room.path)/materials/order", #"{"materials":[\#(ids)]}"#)
      },
    ]
  }

  private var workRows: [Row] {
    [
      Row(StudyAPI.ListAssignments.self, 200, 200, 200) { Request(.get, "\($0.path)/assignments") },
      Row(StudyAPI.CreateAssignment.self, 403, 201, 201) {
        Request(.post, "\($0.path)/assignments", #"{"title":"x","points":100}"#)
      },
      Row(StudyAPI.GetAssignment.self, 200, 200, 200) { Request(.get, "\($0.path)/assignments/\($0.assignment.id)") },
      Row(StudyAPI.GetAssignment.self, 404, 200, 200) { room in
        let draft = try await room.host.assignment(room.course, by: room.owner, state: .draft)
        return Request(.get, "\(room.path)/assignments/\(draft.id)")
      },
      Row(StudyAPI.UpdateAssignment.self, 403, 200, 200) {
        Request(.patch, "\($0.path)/assignments/\($0.assignment.id)", #"{"title":"y"}"#)
      },
      Row(StudyAPI.DeleteAssignment.self, 403, 204, 204) { room in
        let draft = try await room.host.assignment(room.course, by: room.owner, state: .draft)
        return Request(.delete, "\(room.path)/assignments/\(draft.id)")
      },
      Row(StudyAPI.Submit.self, 200, 403, 403) {
        Request(.put, "\($0.path)/assignments/\($0.assignment.id)/submission", #"{"text":"Ave"}"#)
      },
      Row(StudyAPI.ListSubmissions.self, 200, 200, 200) { Request(.get, "\($0.path)/submissions") },
      Row(StudyAPI.ListSubmissions.self, 403, 200, 200) {
        Request(.get, "\($0.path)/submissions?student=\(try $0.owner.id)")
      },
      Row(StudyAPI.GetSubmission.self, 200, 200, 200) { Request(.get, "\($0.path)/submissions/\($0.own)") },
      Row(StudyAPI.GetSubmission.self, 404, 200, 200) { Request(.get, "\($0.path)/submissions/\($0.others)") },
      Row(StudyAPI.GradeSubmission.self, 403, 200, 200) {
        Request(
          .put, "\($0.path)/assignments/\($0.assignment.id)/grades/\(try $0.student.id)",
          #"{"points":100,"isReturned":true}"#)
      },
      Row(StudyAPI.GetGradebook.self, 200, 200, 200) { Request(.get, "\($0.path)/grades") },
      Row(StudyAPI.GetCourseProgress.self, 200, 200, 200) { Request(.get, "\($0.path)/progress") },
    ]
  }

  private var discussionRows: [Row] {
    [
      Row(StudyAPI.ListDiscussions.self, 200, 200, 200) { Request(.get, "\($0.path)/discussions") },
      Row(StudyAPI.StartDiscussion.self, 201, 201, 201) {
        Request(.post, "\($0.path)/discussions", #"{"title":"x","text":"x"}"#)
      },
      Row(StudyAPI.GetDiscussion.self, 200, 200, 200) {
        Request(.get, "\($0.path)/discussions/\(try await $0.discussion(by: $0.student))")
      },
      Row(StudyAPI.UpdateDiscussion.self, 200, 403, 403) {
        Request(.patch, "\($0.path)/discussions/\(try await $0.discussion(by: $0.student))", #"{"title":"y"}"#)
      },
      Row(StudyAPI.UpdateDiscussion.self, 403, 200, 200) {
        Request(.patch, "\($0.path)/discussions/\(try await $0.discussion(by: $0.student))", #"{"isLocked":true}"#)
      },
      Row(StudyAPI.DeleteDiscussion.self, 403, 204, 204) {
        Request(.delete, "\($0.path)/discussions/\(try await $0.discussion(by: $0.owner))")
      },
      Row(StudyAPI.DeleteDiscussion.self, 204, 204, 204) {
        Request(.delete, "\($0.path)/discussions/\(try await $0.discussion(by: $0.student))")
      },
      Row(StudyAPI.ListDiscussionReplies.self, 200, 200, 200) {
        Request(.get, "\($0.path)/discussions/\(try await $0.discussion(by: $0.owner))/replies")
      },
      Row(StudyAPI.ReplyToDiscussion.self, 201, 201, 201) {
        Request(.post, "\($0.path)/discussions/\(try await $0.discussion(by: $0.owner))/replies", #"{"text":"x"}"#)
      },
      Row(StudyAPI.UpdateDiscussionReply.self, 200, 403, 403) {
        Request(.patch, try await $0.reply(by: $0.student), #"{"text":"y"}"#)
      },
      Row(StudyAPI.DeleteDiscussionReply.self, 403, 204, 204) {
        Request(.delete, try await $0.reply(by: $0.owner))
      },
      Row(StudyAPI.DeleteDiscussionReply.self, 204, 204, 204) {
        Request(.delete, try await $0.reply(by: $0.student))
      },
    ]
  }
}
