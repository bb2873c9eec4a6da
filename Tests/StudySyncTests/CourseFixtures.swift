import Contracts
import GatewayService
import Persistence
import ServiceKit
import TestKit
import Testing

@testable import AuthService
@testable import StudySyncService

/// study-sync and auth behind the gateway, with what tests of courses need.
struct CourseHost: Sendable {
  let test: TestPlatform

  static func run(_ database: TestDatabase = .sqlite, _ body: (CourseHost) async throws -> Void) async throws {
    let settings = ["limits.read": "0/1", "limits.write": "0/1", "limits.signIn": "0/1"]
    try await TestPlatform.run(StudyHost.plugins, settings: settings, database: database) {
      try await body(CourseHost(test: $0))
    }
  }

  private var study: StudyHost { StudyHost(test: test) }
  var database: any Database { get throws { try study.database } }

  func count(_ sql: SQL) async throws -> Int { try await study.count(sql) }

  func export(_ section: String, of user: UserID) async throws -> [JSONValue] {
    try await study.export(section, of: user)
  }

  // MARK: users

  /// A user with an account and a token that does not expire.
  func user(_ name: String, _ roles: [Role] = [.user]) async throws -> TestUser {
    let id = try await test.plugin(AuthPlugin.self).createAccount(
      email: EmailAddress(validating: "\(name)@example.com"), username: Username(validating: name),
      displayName: DisplayName(validating: "The \(name)"), password: Password(validating: "correct horse \(name)"),
      roles: roles
    )
    return try await user(id, roles)
  }

  func user(_ id: UserID, _ roles: [Role]) async throws -> TestUser {
    let keys = try await SigningKeys.load(Settings([:]), dataFolder: test.folder)
    let now = test.time.source.now().unixSeconds
    let claims = AccessClaims(
      iss: Issuer.name, sub: id.rawValue, aud: ClientApp.letustudy.rawValue, sid: test.ids.text(),
      scope: ClientApp.web.scopeClaim(),
      roles: roles.map(\.rawValue), iat: now - 60, exp: now + 10 * 365 * 86_400, jti: test.ids.text()
    )
    return TestUser(id: id, token: try await keys.sign(claims), client: test.client)
  }

  func instructor(_ name: String) async throws -> TestUser { try await user(name, [.user, .instructor]) }

  // MARK: courses

  func course(_ owner: TestUser, _ title: String = "Latin 101") async throws -> CourseID {
    try await owner.client.send(StudyAPI.CreateCourse(title: ShortText(validating: title))).id
  }

  /// Adds students by a code.
  func join(_ course: CourseID, of owner: TestUser, _ students: TestUser...) async throws {
    let code = try #require(try await owner.client.send(StudyAPI.RenewCourseCode(id: course)).code)
    for student in students { _ = try await student.client.send(StudyAPI.JoinCourse(code: code)) }
  }

  /// Invites someone by e-mail.
  /// - Returns: The token in the e-mail.
  func invite(_ address: String, _ role: InvitedRole, to course: CourseID, by owner: TestUser) async throws
    -> CourseInvitationToken
  {
    _ = try await owner.client.send(
      StudyAPI.InviteToCourse(id: course, email: EmailAddress(validating: address), role: role))
    try await workAll("mail")
    return CourseInvitationToken(checked: try #require(try test.mails(deliveredTo: address).last?.token))
  }

  func addInstructor(_ user: TestUser, to course: CourseID, of owner: TestUser) async throws {
    let token = try await invite("\(user.id)@example.com", .instructor, to: course, by: owner)
    _ = try await user.client.send(StudyAPI.AcceptCourseInvitation(token: token))
  }

  func assignment(
    _ course: CourseID, by instructor: TestUser, points: Int = 1000, dueIn seconds: Double? = nil,
    lateFor late: Double? = nil, _ resubmission: Assignment.Resubmission? = nil,
    state: Assignment.State = .published
  ) async throws -> Assignment {
    let due = seconds.map { test.time.source.now().advanced(bySeconds: $0) }
    return try await instructor.client.send(
      StudyAPI.CreateAssignment(
        course: course, title: ShortText(checked: "Chapter 1"), instructions: CourseText(checked: "Translate it."),
        points: Points(checked: points), dueAt: due, lateUntil: late.flatMap { due?.advanced(bySeconds: $0) },
        resubmission: resubmission, state: state))
  }

  @discardableResult
  func submit(
    _ text: String, _ assignment: Assignment, _ course: CourseID, by student: TestUser, ifMatch: EntityTag? = nil
  ) async throws -> Submission {
    try await student.client.send(
      StudyAPI.Submit(
        course: course, assignment: assignment.id, ifMatch: ifMatch, text: CourseText(validating: text)))
  }

  @discardableResult
  func grade(
    _ student: TestUser, _ points: Int?, _ assignment: Assignment, _ course: CourseID, by instructor: TestUser,
    feedback: String? = nil, isReturned: Bool = true, ifMatch: EntityTag? = nil
  ) async throws -> Submission {
    try await instructor.client.send(
      StudyAPI.GradeSubmission(
        course: course, assignment: assignment.id, student: student.id, ifMatch: ifMatch,
        points: points.map { Points(checked: $0) }, feedback: feedback.map { CourseText(checked: $0) },
        isReturned: isReturned))
  }

  /// A set with a card, made on a device.
  func set(_ owner: TestUser, device: inout RawDevice) async throws -> StudySetID {
    let set = StudySetID(trusted: device.newID())
    try await device.sync([
      device.operation(.sets, set.rawValue, ["title": "Words"]),
      device.operation(.cards, device.newID(), set: set, ["front": "aqua", "back": "water"]),
    ])
    return set
  }

  func device(_ number: UInt64, of user: TestUser) -> RawDevice { RawDevice(number, of: user, time: test.time) }

  func attach(_ set: StudySetID, to course: CourseID, by instructor: TestUser) async throws -> CourseMaterial {
    let material = try await instructor.client.send(
      StudyAPI.CreateMaterial(course: course, title: ShortText(checked: "Words"), set: set))
    try await workAll("course-sets")
    return material
  }

  // MARK: what happens later

  @discardableResult
  func work(_ worker: String) async throws -> Int { try await test.plugin(StudySyncPlugin.self).runOnce(worker) }

  func workAll(_ worker: String) async throws { while try await work(worker) > 0 {} }

  /// Delivers an event as auth would.
  func deliver(_ event: some Event) async throws {
    try await test.deliver(event, from: AuthAPI.self, to: StudyAPI.self)
  }

  // MARK: what is stored

  /// The code of the problem that a call fails with; `nil` on success.
  func events<E: Event>(_ type: E.Type) async throws -> [E] { try await test.recorded(type, by: StudyAPI.self) }

  func pushes(to user: TestUser) async throws -> [String] {
    try await events(PushRequested.self).filter { $0.userID == user.id }.map(\.title)
  }
}
