import Contracts
import Persistence
import ServiceKit
import TestKit
import Testing

@testable import StudySyncService

@Suite(.serialized)
struct CourseMaterialTests {
  @Test(arguments: TestDatabase.allCases)
  func materialsKeepTheOrderThatInstructorsChoose(_ database: TestDatabase) async throws {
    try await CourseHost.run(database) { host async throws in
      let (ada, bob) = (try await host.instructor("ada"), try await host.user("bob"))
      let course = try await host.course(ada)
      try await host.join(course, of: ada, bob)
      let text = StudyAPI.CreateMaterial(
        course: course, title: ShortText(checked: "Welcome"), text: CourseText(checked: "Salvete 🏛️"))
      let link = StudyAPI.CreateMaterial(
        course: course, title: ShortText(checked: "Site"), url: WebLink(checked: "https://example.com/latin"))
      let media = StudyAPI.CreateMaterial(
        course: course, title: ShortText(checked: "Recording"), media: host.test.ids.make())
      var made: [CourseMaterial] = []
      for request in [text, link, media] { made.append(try await ada.client.send(request)) }
      #expect(made.map(\.kind) == [.text, .link, .media])

      let order = [made[2].id, made[0].id, made[1].id]
      _ = try await ada.client.send(StudyAPI.OrderMaterials(course: course, materials: order))
      var (listed, cursor): ([CourseMaterial], String?) = ([], nil)
      repeat {
        let page = try await bob.client.send(
          StudyAPI.ListMaterials(course: course, limit: PageSize(checked: 2), cursor: cursor))
        (listed, cursor) = (listed + page.items, page.nextCursor)
      } while cursor != nil
      #expect(listed.map(\.id) == order)
      #expect(listed[1].text?.rawValue == "Salvete 🏛️")

      for wrong in [Array(order.dropLast()), order + [order[0]], [order[0], order[0], order[1]]] {
        let request = StudyAPI.OrderMaterials(course: course, materials: wrong)
        #expect(try await code { _ = try await ada.client.send(request) } == "invalid-request")
      }
      let edited = try await ada.client.send(
        StudyAPI.UpdateMaterial(
          course: course, id: made[1].id, title: ShortText(checked: "Web site"), text: .set(CourseText(checked: "Read"))
        ))
      #expect(edited.url?.rawValue == "https://example.com/latin")
      #expect(edited.version == 2)
      _ = try await ada.client.send(StudyAPI.DeleteMaterial(course: course, id: made[0].id))
      #expect(
        try await bob.client.send(StudyAPI.ListMaterials(course: course)).items.map(\.id) == [order[0], order[2]])
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func anAttachedSetReachesTheDevicesOfMembers(_ database: TestDatabase) async throws {
    try await CourseHost.run(database) { host async throws in
      let (ada, bob, carl) = (
        try await host.instructor("ada"), try await host.user("bob"), try await host.user("carl")
      )
      let course = try await host.course(ada)
      var (desk, phone, tablet) = (host.device(1, of: ada), host.device(2, of: bob), host.device(3, of: carl))
      let set = try await host.set(ada, device: &desk)
      try await host.join(course, of: ada, bob)
      #expect(try await phone.sync().changes == [])
      let material = try await host.attach(set, to: course, by: ada)
      #expect(material.set == set)
      #expect(try await phone.sync().changes.contains { $0.fields?["front"] == "aqua" })

      // A later member gets it at once, and a student may not edit it.
      try await host.join(course, of: ada, carl)
      #expect(try await tablet.sync().changes.contains { $0.fields?["front"] == "aqua" })
      let edit = tablet.operation(.sets, set.rawValue, ["title": "Mine"])
      #expect(try await tablet.sync([edit]).results.map(\.code) == ["forbidden"])

      // It goes with the membership, and with the material.
      _ = try await carl.client.send(StudyAPI.RemoveCourseMember(id: course, user: carl.id))
      #expect(try await tablet.sync().removedSets == [set])
      _ = try await ada.client.send(StudyAPI.DeleteMaterial(course: course, id: material.id))
      try await host.workAll("course-sets")
      #expect(try await phone.sync().removedSets == [set])
      #expect(try await desk.sync().removedSets == [])
      #expect(try await host.count("SELECT COUNT(*) FROM space_grants WHERE source LIKE 'course:%'") == 0)
    }
  }

  /// Members of a big course get a set in several transactions, each member once.
  @Test(arguments: TestDatabase.allCases)
  func aBigCourseIsGrantedInBatches(_ database: TestDatabase) async throws {
    try await CourseHost.run(database) { host async throws in
      let ada = try await host.instructor("ada")
      let course = try await host.course(ada)
      var desk = host.device(1, of: ada)
      let set = try await host.set(ada, device: &desk)
      try await host.database.write { tx in
        for _ in 0..<250 { try CourseMemberStore.insert(host.test.ids.make(), into: course, as: .student, in: tx) }
      }
      let material = try await ada.client.send(
        StudyAPI.CreateMaterial(course: course, title: ShortText(checked: "Words"), set: set))
      let granted: SQL = "SELECT COUNT(*) FROM space_grants WHERE source LIKE 'course:%'"
      var counts: [Int] = []
      while try await host.work("course-sets") > 0 { counts.append(try await host.count(granted)) }
      #expect(counts == [100, 200, 251])
      _ = try await ada.client.send(StudyAPI.DeleteMaterial(course: course, id: material.id))
      counts = []
      while try await host.work("course-sets") > 0 { counts.append(try await host.count(granted)) }
      #expect(counts == [151, 51, 0])
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func onlySetsOfTheInstructorAreAttached(_ database: TestDatabase) async throws {
    try await CourseHost.run(database) { host async throws in
      let (ada, bob) = (try await host.instructor("ada"), try await host.user("bob"))
      let course = try await host.course(ada)
      var (desk, phone) = (host.device(1, of: ada), host.device(2, of: bob))
      let (own, other) = (try await host.set(ada, device: &desk), try await host.set(bob, device: &phone))
      func attach(_ set: StudySetID) async throws -> String? {
        try await code { _ = try await host.attach(set, to: course, by: ada) }
      }
      #expect(try await attach(other) == "set-not-attachable")
      #expect(try await attach(host.test.ids.make()) == "set-not-attachable")
      try await host.database.write { tx in
        try SpaceStore.grant(.editor, to: ada.id, in: other.space, source: "share", tx)
      }
      #expect(try await attach(other) == "set-not-attachable")
      #expect(try await attach(own) == nil)
      #expect(try await attach(own) == "set-not-attachable")
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func theOwnerOfASetDetachesIt(_ database: TestDatabase) async throws {
    try await CourseHost.run(database) { host async throws in
      let (ada, bob, carl) = (try await host.instructor("ada"), try await host.user("bob"), try await host.user("carl"))
      let course = try await host.course(ada)
      try await host.join(course, of: ada, bob)
      var desk = host.device(1, of: ada)
      let set = try await host.set(ada, device: &desk)
      _ = try await host.attach(set, to: course, by: ada)
      #expect(try await ada.client.send(StudyAPI.ListShares(id: set)).courses == [course])
      #expect(try await bob.client.send(StudyAPI.ListShares(id: set)).courses == [])
      try await ada.share(set, with: carl, as: .editor)
      _ = try await ada.client.send(StudyAPI.ChangeShare(id: set, userID: carl.id, role: .owner))
      _ = try await carl.client.send(StudyAPI.TakeOwnership(id: set))

      // Carl is no member of the course.
      let detach = StudyAPI.DetachSet(id: set, course: course)
      #expect(try await code { _ = try await bob.client.send(detach) } == "forbidden")
      _ = try await carl.client.send(detach)
      try await host.workAll("course-sets")
      #expect(try await bob.sets() == [])
      #expect(try await ada.client.send(StudyAPI.ListMaterials(course: course)).items == [])
      #expect(try await carl.client.send(StudyAPI.ListShares(id: set)).courses == [])
    }
  }

  @Test func materialsHaveOneContent() async throws {
    try await CourseHost.run { host async throws in
      let ada = try await host.instructor("ada")
      let course = try await host.course(ada)
      let title = ShortText(checked: "Words")
      let both = StudyAPI.CreateMaterial(
        course: course, title: title, url: WebLink(checked: "https://example.com"), media: host.test.ids.make())
      let none = StudyAPI.CreateMaterial(course: course, title: title)
      for request in [both, none] {
        #expect(try await code { _ = try await ada.client.send(request) } == "invalid-request")
      }
      for body in [
        #"{"title":"","text":"x"}"#, #"{"title":"x","url":"javascript:alert(1)"}"#, #"{"title":"x","set":"y"}"#,
      ] {
        let response = try await host.test.send(.post, "/v1/courses/\(course)/materials", body, by: ada)
        #expect(response.status == 422, "\(body)")
      }
    }
  }
}
