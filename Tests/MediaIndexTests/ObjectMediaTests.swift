import Contracts
import Persistence
import ServiceKit
import StudySyncService
import TestKit
import Testing

@testable import MediaIndexService

/// The callers who may load what objects use: every object, after each of its changes, by everyone. A right that ends
/// has ended a second later.
@Suite(.serialized)
struct ObjectMediaTests {
  /// A change of an object, and who may load what it uses afterwards. The owner always may.
  struct Step: Sendable {
    let name: String
    let loading: Set<ObjectHost.Caller>
    let change: @Sendable () async throws -> Void
  }

  /// An object that is made with a media item of the owner's.
  enum Object: CaseIterable {
    case photo, product, post, tool, message, card, material, assignment, submission
  }

  @Test(arguments: TestDatabase.allCases, Object.allCases)
  func callersLoadWhatTheyMay(_ database: TestDatabase, _ object: Object) async throws {
    try await ObjectHost.run(database) { host async throws in
      let media = try await host.items.ready(ItemHost.png, by: host.owner, files: ["picture.jpg": "picture"])
      #expect(try await host.callers(loading: media) == [.owner])
      for step in try await host.steps(of: object, media) {
        // Rights that were granted before the change are forgotten.
        try await step.change()
        try await host.relay()
        host.items.test.time.advance(seconds: 1)
        #expect(try await host.callers(loading: media) == step.loading.union([.owner]), "\(object): \(step.name)")
      }
    }
  }

  /// Someone who names a media item of another user does not get it, and learns nothing about it.
  @Test(arguments: TestDatabase.allCases, Object.allCases)
  func mediaOfOthersAreRefused(_ database: TestDatabase, _ object: Object) async throws {
    try await ObjectHost.run(database) { host async throws in
      let stranger = try #require(host.users[.stranger])
      let media = try await host.items.ready(ItemHost.png, by: stranger, files: ["picture.jpg": "picture"])
      let steps = try await host.steps(of: object, media)
      let refused = try await problem { for step in steps { try await step.change() } }
      #expect(refused?.code == "media-not-found")
      let location = try #require(refused?.errors?.first?.location)
      #expect(location.hasPrefix("body."))
      try await host.relay()
      #expect(try await host.callers(loading: media) == [.stranger])
      #expect(try await host.items.delete(media, by: stranger) == nil)
    }
  }

  /// Media that are not ready, or not pictures, are no photos.
  @Test func onlyReadyPicturesArePhotos() async throws {
    try await ObjectHost.run { host async throws in
      let raw = try await host.items.upload(ItemHost.png, by: host.owner)
      let audio = try await host.items.beat(1, by: host.owner)
      for (media, code) in [(raw, "media-not-ready"), (audio, "invalid-request")] {
        let refused = try await problem { try await host.setPhoto(media) }
        #expect(refused?.code == code)
        #expect(refused?.errors?.map(\.location) == ["body.details.photo"])
      }
    }
  }

  /// A user who registers with a photo uploads it as a guest.
  @Test(arguments: TestDatabase.allCases)
  func aGuestSignsUpWithAPhoto(_ database: TestDatabase) async throws {
    try await ObjectHost.run(database) { host async throws in
      let session = try await host.items.test.client.send(AuthAPI.SignInAsGuest())
      let guest = TestUser(session, host.items.test.client)
      let photo = try await host.items.ready(ItemHost.png, by: guest, files: ["picture.jpg": "picture"])
      func upgrade(_ photo: MediaID) async throws -> Authentication {
        try await guest.client.send(
          AuthAPI.Upgrade(
            refreshToken: session.refreshToken, email: EmailAddress(validating: "eve@example.com"),
            username: Username(validating: "eve"),
            displayName: DisplayName(validating: "Eve"), password: Password(validating: "correct horse eve"),
            photo: photo))
      }
      let foreign = try await host.items.ready(ItemHost.png, by: host.owner)
      #expect(try await problem { _ = try await upgrade(foreign) }?.code == "media-not-found")
      let account = try await upgrade(photo).user
      #expect(account.details.photo == photo)
      try await host.relay()
      #expect(try await host.items.content(photo).status == 200)
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func nothingIsKeptForADeletedAccount(_ database: TestDatabase) async throws {
    try await ObjectHost.run(database) { host async throws in
      let media = try await host.items.ready(ItemHost.png, by: host.owner, files: ["picture.jpg": "picture"])
      for object in [Object.photo, .message, .card, .submission] {
        let step = try #require(try await host.steps(of: object, media).first)
        try await step.change()
      }
      try await host.relay()
      #expect(try await host.items.count("SELECT COUNT(*) FROM media_references WHERE media_id = \(media)") >= 4)
      let client = host.items.test.client
      let session = try await client.send(AuthAPI.LogIn(login: "ada", password: "correct horse ada", app: .archived))
      _ = try await client.with(accessToken: session.accessToken).send(AuthAPI.DeleteMe())
      for service: any ServiceAPI.Type in [MatchingAPI.self, StudyAPI.self, MediaAPI.self] {
        try await host.items.test.deliver(UserDeleted(userID: host.owner.id), from: AuthAPI.self, to: service)
      }
      try await host.items.test.plugin(StudySyncPlugin.self).runOnce("sync.removal")
      try await host.relay()
      #expect(try await host.items.count("SELECT COUNT(*) FROM media_references WHERE media_id = \(media)") == 0)
      // First the media item, which was kept for its uses, then its file.
      for _ in 0..<2 {
        host.items.test.time.advance(seconds: 86_400)
        try await host.items.collect()
      }
      #expect(try await host.items.isStored(ItemHost.png) == false)
    }
  }
}
