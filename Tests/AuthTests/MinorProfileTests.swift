import Contracts
import Persistence
import ServiceKit
import TestKit
import Testing

@testable import AuthService

/// The rules for minors hold whoever changes the profile.
@Suite(.serialized)
struct MinorProfileTests {
  private func patch(birthday: String? = nil, photo: MediaID? = nil) throws -> ProfilePatch {
    var patch = ProfilePatch()
    if let birthday { patch.birthday = .set(try #require(CalendarDate(birthday))) }
    if let photo { patch.photo = .set(photo) }
    return patch
  }

  /// The rights to load a user's photo, after each change that was reported.
  private func access(_ user: UserID, _ host: TestPlatform) async throws -> [[MediaAccessKind]] {
    try await host.recorded(MediaReferencesChanged.self, by: AuthAPI.self).filter {
      $0.object == ProfilePhoto.topic(user)
    }.map { $0.uses.map(\.access) }
  }

  @Test("a correction by support does not publish a minor's photo", arguments: TestDatabase.allCases)
  func supportDoesNotPublishPhotos(_ database: TestDatabase) async throws {
    try await TestPlatform.auth(database: database) { host async throws in
      let admin = try await host.staff(.administrator)
      let max = try await host.signUp("max")
      let me = host.client(max)
      _ = try await me.send(AuthAPI.UpdateMe(details: patch(birthday: "2012-06-01")))
      _ = try await me.send(AuthAPI.UpdateMe(details: patch(photo: host.ids.make())))
      #expect(try await access(max.user.id, host).last == [.readers])
      let reason = try ShortText(validating: "A typing error")
      _ = try await admin.client.send(
        AuthAPI.AdminUpdateUser(id: max.user.id, details: patch(birthday: "2012-06-02"), reason: reason))
      #expect(try await access(max.user.id, host).suffix(2) == [[.readers], [.readers]])
      _ = try await admin.client.send(
        AuthAPI.AdminUpdateUser(id: max.user.id, details: patch(photo: host.ids.make()), reason: reason))
      #expect(try await access(max.user.id, host).allSatisfy { $0 != [.public] })
      // Of someone who is older, it is public.
      _ = try await admin.client.send(
        AuthAPI.AdminUpdateUser(id: max.user.id, details: patch(birthday: "1990-06-02"), reason: reason))
      #expect(try await access(max.user.id, host).last == [.public])
    }
  }

  @Test("a minor's photo is not published by the upgrade of a guest", arguments: TestDatabase.allCases)
  func upgradesDoNotPublishPhotos(_ database: TestDatabase) async throws {
    try await TestPlatform.auth(database: database) { host async throws in
      let guest = try await host.client.send(AuthAPI.SignInAsGuest())
      _ = try await host.client(guest).send(AuthAPI.UpdateMe(details: patch(birthday: "2012-06-01")))
      _ = try await host.client(guest).send(
        AuthAPI.Upgrade(
          refreshToken: guest.refreshToken, email: EmailAddress(validating: "max@example.com"),
          username: Username(validating: "max"), displayName: DisplayName(validating: "Max"),
          password: Password(validating: "correct horse max"), photo: host.ids.make()))
      #expect(try await access(guest.user.id, host).last == [.readers])
    }
  }

  @Test("a school's list neither ends the need for a guardian nor publishes photos", arguments: TestDatabase.allCases)
  func listsOfSchoolsObeyTheRules(_ database: TestDatabase) async throws {
    try await TestPlatform.auth(database: database) { host async throws in
      let (_, school) = try await host.school()
      let kim = try await host.chooseFirst(try await school.add("kim", birthday: "2012-05-01"))
      for birthday in ["1990-05-01", "2012-04-30"] {
        let report = try await school.importList(["n-kim,kimberly,,,\(birthday),student"]).report
        let reason = "the birthday of a minor can only be corrected by support"
        #expect(report == ImportReport(rejected: [.init(line: 2, errors: [reason])]))
      }
      let me = host.client(kim)
      #expect(try await me.send(AuthAPI.GetMe()).details.birthday?.description == "2012-05-01")
      #expect(try await me.send(AuthAPI.GetMe()).username == "kim")
      #expect(try await me.send(AuthAPI.GetGuardianStatus()).state == .needed)

      // Whoever becomes a minor by the list no longer shows the photo to everyone.
      let lee = try await host.chooseFirst(try await school.add("lee", birthday: "2000-05-01"))
      _ = try await host.client(lee).send(AuthAPI.UpdateMe(details: patch(photo: host.ids.make())))
      #expect(try await access(lee.user.id, host) == [[.public]])
      #expect(try await school.importList(["n-lee,lee,,,2012-05-01,student"]).report == ImportReport(updated: 1))
      #expect(try await access(lee.user.id, host) == [[.public], [.readers]])
    }
  }
}
