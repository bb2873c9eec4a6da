import AuthService
import Contracts
import GatewayService
import MatchingService
import MediaIndexService
import ServiceKit
import TestKit
import Testing

/// The photos of roommates: those to whom a card can be shown load its picture, matches also the others.
@Suite(.serialized)
struct RoommatePhotoTests {
  private static func run(_ database: TestDatabase = .sqlite, _ body: (TestPlatform) async throws -> Void) async throws
  {
    try await TestPlatform.run(
      [GatewayPlugin.self, AuthPlugin.self, MatchingPlugin.self, MediaIndexPlugin.self],
      settings: ["limits.write": "0/1", "limits.read": "0/1"], database: database, body)
  }

  private static func profile(_ test: TestPlatform, _ user: TestUser, in city: String) async throws
    -> (card: MediaID, other: MediaID)
  {
    let (card, other) = (try await test.addMedium(of: user), try await test.addMedium(of: user))
    var request = MatchingAPI.PutRoommateProfile.complete(.in(city))
    request.photos = RoommatePhotos(card: card, others: [other])
    _ = try await user.client.send(request)
    return (card, other)
  }

  @Test(arguments: TestDatabase.allCases)
  func matchesSeeMoreThanTheDeck(_ database: TestDatabase) async throws {
    try await Self.run(database) { test async throws in
      let (ada, bob) = (try await test.swiper(), try await test.swiper())
      let (far, stranger) = (try await test.swiper(), try await test.swiper())
      let photos = try await Self.profile(test, ada, in: "Austin")
      _ = try await Self.profile(test, bob, in: "Austin")
      _ = try await Self.profile(test, far, in: "Dallas")

      func check(_ card: [Bool], _ other: [Bool], _ step: String) async throws {
        try await test.relayMediaUses(from: [MatchingAPI.self])
        test.time.advance(seconds: 1)
        var found: [[Bool]] = [[], []]
        for user in [ada, bob, far, stranger] {
          found[0].append(try await test.mayLoad(photos.card, user))
          found[1].append(try await test.mayLoad(photos.other, user))
        }
        #expect(found == [card, other], "\(step)")
      }

      try await check([true, true, false, false], [true, false, false, false], "complete")
      try await bob.swipe(.like, ada)
      try await check([true, true, false, false], [true, false, false, false], "liked")
      try await ada.swipe(.like, bob)
      try await check([true, true, false, false], [true, true, false, false], "matched")
      var draft = MatchingAPI.PutRoommateProfile.complete(.in("Austin"))
      (draft.photos, draft.isComplete) = (RoommatePhotos(card: photos.card, others: [photos.other]), false)
      _ = try await ada.client.send(draft)
      try await check([true, false, false, false], [true, false, false, false], "hidden")
      draft.isComplete = true
      _ = try await ada.client.send(draft)
      try await check([true, true, false, false], [true, true, false, false], "shown again")
      _ = try await bob.client.send(MatchingAPI.BlockUser(userID: ada.id))
      try await check([true, false, false, false], [true, false, false, false], "blocked")
      _ = try await ada.client.send(MatchingAPI.DeleteRoommateProfile())
      try await test.relayMediaUses(from: [MatchingAPI.self])
      for media in [photos.card, photos.other] { _ = try await ada.client.send(MediaAPI.DeleteMedia(id: media)) }
    }
  }

  @Test func onlyOwnPicturesAreShown() async throws {
    try await Self.run { test async throws in
      let (ada, bob) = (try await test.swiper(), try await test.swiper())
      let (own, foreign) = (try await test.addMedium(of: ada), try await test.addMedium(of: bob))
      let video = try await test.addMedium(of: ada, .video)
      let raw = try await test.addMedium(of: ada, .image, .processing)
      func refused(_ card: MediaID, _ others: [MediaID] = []) async throws -> Problem? {
        var request = MatchingAPI.PutRoommateProfile.complete()
        request.photos = RoommatePhotos(card: card, others: others)
        return try await problem { _ = try await ada.client.send(request) }
      }
      #expect(try await refused(foreign)?.errors?.map(\.location) == ["body.photos.card"])
      #expect(try await refused(own, [foreign])?.errors?.map(\.location) == ["body.photos.others[0]"])
      #expect(try await refused(foreign)?.code == "media-not-found")
      #expect(try await refused(raw)?.code == "media-not-ready")
      #expect(try await refused(video)?.code == "invalid-request")
      #expect(try await refused(own) == nil)
    }
  }
}
