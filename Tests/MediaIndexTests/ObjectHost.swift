import Contracts
import ServiceKit
import StudySyncService
import TestKit
import Testing

@testable import MediaIndexService

/// Users around an owner of media, and the objects in which the owner uses them.
struct ObjectHost: Sendable {
  /// The friend is connected, shares sets, is in the owner's courses and conversations; the teacher teaches there.
  enum Caller: String, CaseIterable { case owner, friend, teacher, stranger, anonymous }

  let items: ItemHost
  let users: [Caller: TestUser]
  let owner: TestUser

  private static let services: [any ServiceAPI.Type] = [
    AuthAPI.self, CatalogAPI.self, MatchingAPI.self, OrdersAPI.self, StudyAPI.self,
  ]

  static func run(_ database: TestDatabase = .sqlite, _ body: (ObjectHost) async throws -> Void) async throws {
    try await ItemHost.run(database, with: [StudySyncPlugin.self]) { items in
      let users = try await items.users("ada", "bob", "max", "mallory")
      // The owner of the site, who also teaches.
      let owner = try await items.user(users[0].id, [.user, .owner, .instructor])
      let teacher = try await items.user(users[2].id, [.user, .instructor])
      try await items.connect(owner, users[1])
      try await body(
        ObjectHost(
          items: items, users: [.owner: owner, .friend: users[1], .teacher: teacher, .stranger: users[3]],
          owner: owner))
    }
  }

  func user(_ caller: Caller) throws -> TestUser { try #require(users[caller]) }

  /// Delivers what the services have reported, as their relays do.
  func relay() async throws {
    for event in try await items.test.recorded(ConnectionChanged.self, by: MatchingAPI.self) {
      try await items.test.deliver(event, from: MatchingAPI.self, to: AuthAPI.self)
    }
    try await items.test.relayMediaUses(from: Self.services)
  }

  func callers(loading media: MediaID) async throws -> Set<Caller> {
    var loading: Set<Caller> = []
    for caller in Caller.allCases {
      let response = try await items.content(media, by: users[caller])
      switch response.status {
      case 200: loading.insert(caller)
      case 404: break
      default: throw TestKitError("\(caller) got \(response.status)")
      }
    }
    return loading
  }

  func setPhoto(_ media: MediaID?, _ visibility: Visibility? = nil) async throws {
    var (details, seen) = (ProfilePatch(), ProfileVisibility())
    details.photo = media.map { .set($0) } ?? .keep
    seen.photo = visibility
    _ = try await owner.client.send(AuthAPI.UpdateMe(details: details, visibility: seen))
  }

  // MARK: objects

  private static let everyone = Set(Caller.allCases)

  func steps(of object: ObjectMediaTests.Object, _ media: MediaID) async throws -> [ObjectMediaTests.Step] {
    switch object {
    case .photo: photo(media)
    case .product: try await product(media)
    case .post: post(media)
    case .tool: tool(media)
    case .message: try await message(media)
    case .card: try await card(media)
    case .material: try await material(media)
    case .assignment: try await assignment(media)
    case .submission: try await submission(media)
    }
  }

  private func step(_ name: String, _ loading: Set<Caller>, _ change: @escaping @Sendable () async throws -> Void)
    -> ObjectMediaTests.Step
  { ObjectMediaTests.Step(name: name, loading: loading, change: change) }

  private func photo(_ media: MediaID) -> [ObjectMediaTests.Step] {
    [
      step("for connections", [.friend]) { try await setPhoto(media, .connections) },
      step("for everyone", Self.everyone) { try await setPhoto(nil, .everyone) },
      step("for the owner", []) { try await setPhoto(nil, .onlyMe) },
      step("for connections again", [.friend]) { try await setPhoto(nil, .connections) },
      step("disconnected", []) {
        let connection = try #require(try await owner.client.send(MatchingAPI.ListConnections()).items.first)
        _ = try await owner.client.send(MatchingAPI.RemoveConnection(id: connection.id))
      },
      step("for everyone, once more", Self.everyone) { try await setPhoto(nil, .everyone) },
      step("removed", []) {
        var details = ProfilePatch()
        details.photo = .remove
        _ = try await owner.client.send(AuthAPI.UpdateMe(details: details))
      },
    ]
  }

  private func product(_ media: MediaID) async throws -> [ObjectMediaTests.Step] {
    let type = try Slug(validating: "bows")
    _ = try await owner.client.send(
      CatalogAPI.CreateProductType(body: ProductType(slug: type, name: ShortText(validating: "Bows"))))
    @Sendable func create(_ images: [MediaID]) async throws -> Product {
      try await owner.client.send(
        CatalogAPI.CreateProduct(
          type: type, title: ShortText(validating: "Bow"), price: Price(checked: Money(500, .usd)), images: images))
    }
    let product = try await create([])
    return [
      step("set", Self.everyone) {
        _ = try await owner.client.send(CatalogAPI.UpdateProduct(id: product.id, images: [media]))
      },
      step("removed", []) { _ = try await owner.client.send(CatalogAPI.UpdateProduct(id: product.id, images: [])) },
      step("created", Self.everyone) {
        let other = try await create([media])
        _ = try await owner.client.send(CatalogAPI.UpdateProduct(id: other.id, title: ShortText(validating: "Other")))
      },
      step("deleted", []) {
        for product in try await owner.client.send(CatalogAPI.ListProducts()).items {
          _ = try await owner.client.send(CatalogAPI.DeleteProduct(id: product.id))
        }
      },
    ]
  }

  private func post(_ media: MediaID) -> [ObjectMediaTests.Step] {
    @Sendable func posts() async throws -> [PostID] {
      try await owner.client.send(CatalogAPI.ListPosts()).items.map(\.id)
    }
    return [
      step("created", Self.everyone) {
        _ = try await owner.client.send(CatalogAPI.CreatePost(title: ShortText(validating: "News"), media: media))
      },
      step("removed", []) {
        for id in try await posts() { _ = try await owner.client.send(CatalogAPI.UpdatePost(id: id, media: .remove)) }
      },
      step("set", Self.everyone) {
        for id in try await posts() {
          _ = try await owner.client.send(CatalogAPI.UpdatePost(id: id, media: .set(media)))
        }
      },
      step("deleted", []) {
        for id in try await posts() { _ = try await owner.client.send(CatalogAPI.DeletePost(id: id)) }
      },
    ]
  }

  private func tool(_ media: MediaID) -> [ObjectMediaTests.Step] {
    @Sendable func tools() async throws -> [ToolID] {
      try await owner.client.send(CatalogAPI.ListTools()).items.map(\.id)
    }
    return [
      step("created", Self.everyone) {
        _ = try await owner.client.send(CatalogAPI.CreateTool(name: ShortText(validating: "Wire"), image: media))
      },
      step("removed", []) {
        for id in try await tools() { _ = try await owner.client.send(CatalogAPI.UpdateTool(id: id, image: .remove)) }
      },
      step("set", Self.everyone) {
        for id in try await tools() {
          _ = try await owner.client.send(CatalogAPI.UpdateTool(id: id, image: .set(media)))
        }
      },
      step("deleted", []) {
        for id in try await tools() { _ = try await owner.client.send(CatalogAPI.DeleteTool(id: id)) }
      },
    ]
  }

  private func message(_ media: MediaID) async throws -> [ObjectMediaTests.Step] {
    let (friend, stranger) = (try user(.friend), try user(.stranger))
    let talk = try await owner.client.send(MatchingAPI.StartConversation(userID: friend.id)).id
    let other = try await owner.client.send(MatchingAPI.StartConversation(userID: stranger.id)).id
    let (first, second): (MessageID, MessageID) = (items.test.ids.make(), items.test.ids.make())
    @Sendable func send(_ id: MessageID, _ conversation: ConversationID) async throws {
      _ = try await owner.client.send(MatchingAPI.SendMessage(id: conversation, messageID: id, media: [media]))
    }
    return [
      step("sent", [.friend]) { try await send(first, talk) },
      step("sent to another", [.friend, .stranger]) { try await send(second, other) },
      step("deleted", [.stranger]) {
        _ = try await owner.client.send(MatchingAPI.DeleteMessage(id: talk, messageID: first))
      },
      step("blocked", []) { _ = try await stranger.client.send(MatchingAPI.BlockUser(userID: owner.id)) },
    ]
  }

  private func card(_ media: MediaID) async throws -> [ObjectMediaTests.Step] {
    let (friend, teacher) = (try user(.friend), try user(.teacher))
    let set = try await owner.client.send(StudyAPI.CreateSet(title: SetTitle(validating: "Latin"))).id
    let attachments = [CardAttachment(media: media, side: .front)]
    @Sendable func cards() async throws -> [CardID] {
      try await owner.client.send(StudyAPI.ListCards(id: set)).items.map(\.id)
    }
    @Sendable func attach(_ attachments: [CardAttachment]) async throws {
      for id in try await cards() {
        _ = try await owner.client.send(StudyAPI.UpdateCard(id: id, attachments: attachments))
      }
    }
    return [
      step("created", []) {
        _ = try await owner.client.send(
          StudyAPI.CreateCard(
            id: set, front: CardText(validating: "aqua"), back: CardText(validating: "water"),
            attachments: attachments))
      },
      step("shared", [.friend, .teacher]) {
        for (user, role) in [(friend, ShareRole.viewer), (teacher, .editor)] {
          _ = try await owner.client.send(StudyAPI.ShareSet(id: set, role: role, userID: user.id))
        }
      },
      step("published", Self.everyone) { _ = try await owner.client.send(StudyAPI.PublishSet(id: set)) },
      step("not published", [.friend, .teacher]) {
        _ = try await owner.client.send(StudyAPI.UnpublishSet(id: set))
      },
      step("card deleted", [.teacher]) {
        for id in try await cards() { _ = try await owner.client.send(StudyAPI.DeleteCard(id: id)) }
      },
      step("card restored", [.friend, .teacher]) {
        for card in try await owner.client.send(StudyAPI.ListCards(id: set, deleted: true)).items {
          _ = try await owner.client.send(StudyAPI.RestoreCard(id: card.id))
        }
      },
      step("not shared", [.teacher]) {
        _ = try await owner.client.send(StudyAPI.RemoveShare(id: set, userID: friend.id))
      },
      step("detached", []) { try await attach([]) },
      step("attached", [.teacher]) { try await attach(attachments) },
      step("set deleted", []) { _ = try await owner.client.send(StudyAPI.DeleteSet(id: set)) },
    ]
  }

  // MARK: courses

  /// A course of the teacher's with the owner of the media item and the friend, or of the owner's with both others.
  private func course(of teacher: TestUser, _ students: [TestUser]) async throws -> CourseID {
    let course = try await teacher.client.send(
      StudyAPI.CreateCourse(title: ShortText(validating: "Latin 101"))
    ).id
    let code = try #require(try await teacher.client.send(StudyAPI.RenewCourseCode(id: course)).code)
    for student in students { _ = try await student.client.send(StudyAPI.JoinCourse(code: code)) }
    return course
  }

  private func material(_ media: MediaID) async throws -> [ObjectMediaTests.Step] {
    let friend = try user(.friend)
    let course = try await course(of: owner, [friend, user(.teacher)])
    return [
      step("created", [.friend, .teacher]) {
        _ = try await owner.client.send(
          StudyAPI.CreateMaterial(course: course, title: ShortText(validating: "Map"), media: media))
      },
      step("removed from the course", [.teacher]) {
        _ = try await owner.client.send(StudyAPI.RemoveCourseMember(id: course, user: friend.id))
      },
      step("deleted", []) {
        for material in try await owner.client.send(StudyAPI.ListMaterials(course: course)).items {
          _ = try await owner.client.send(StudyAPI.DeleteMaterial(course: course, id: material.id))
        }
      },
    ]
  }

  private func assignment(_ media: MediaID) async throws -> [ObjectMediaTests.Step] {
    let course = try await course(of: owner, [user(.friend)])
    @Sendable func change(_ media: [MediaID]? = nil, _ state: Assignment.State? = nil) async throws {
      for assignment in try await owner.client.send(StudyAPI.ListAssignments(course: course)).items {
        _ = try await owner.client.send(
          StudyAPI.UpdateAssignment(course: course, id: assignment.id, media: media, state: state))
      }
    }
    return [
      step("drafted", []) {
        _ = try await owner.client.send(
          StudyAPI.CreateAssignment(
            course: course, title: ShortText(validating: "Chapter 1"), media: [media], points: Points(checked: 10)))
      },
      step("published", [.friend]) { try await change(nil, .published) },
      step("detached", []) { try await change([]) },
      step("attached", [.friend]) { try await change([media]) },
      step("a draft again", []) { try await change(nil, .draft) },
      step("deleted", []) {
        for assignment in try await owner.client.send(StudyAPI.ListAssignments(course: course)).items {
          _ = try await owner.client.send(StudyAPI.DeleteAssignment(course: course, id: assignment.id))
        }
      },
    ]
  }

  private func submission(_ media: MediaID) async throws -> [ObjectMediaTests.Step] {
    let teacher = try user(.teacher)
    let course = try await course(of: teacher, [owner, user(.friend)])
    let assignment = try await teacher.client.send(
      StudyAPI.CreateAssignment(
        course: course, title: ShortText(validating: "Chapter 1"), points: Points(checked: 10), state: .published)
    ).id
    return [
      step("submitted", [.teacher]) {
        _ = try await owner.client.send(StudyAPI.Submit(course: course, assignment: assignment, media: [media]))
      },
      step("replaced", [.teacher]) {
        _ = try await owner.client.send(
          StudyAPI.Submit(course: course, assignment: assignment, text: CourseText(validating: "Salve")))
      },
      step("graded, which ends the history", []) {
        _ = try await teacher.client.send(
          StudyAPI.GradeSubmission(
            course: course, assignment: assignment, student: owner.id, points: Points(checked: 9), isReturned: true))
      },
    ]
  }
}
