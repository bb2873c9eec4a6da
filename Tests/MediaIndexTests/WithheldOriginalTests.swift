import BlobStorage
import Contracts
import Persistence
import TestKit
import Testing

@testable import MediaIndexService

/// The parts of a visible media item that others do not get.
@Suite(.serialized)
struct WithheldOriginalTests {
  /// A file that begins like a recording may hold anything.
  @Test(arguments: TestDatabase.allCases)
  func othersGetNothingOfWhatHasNotBeenProcessed(_ database: TestDatabase) async throws {
    try await ItemHost.run(database) { host async throws in
      let users = try await host.users("ada", "bob")
      let media = try await host.upload(ItemHost.wav(1), by: users[0], visibility: .everyone)
      #expect(try await host.content(media, by: users[0]).body == ItemHost.wav(1))
      #expect(try await host.content(media, by: users[1]).problem?.code == "media-not-ready")
      try await host.advance(media, to: .failed, .invalidContent)
      #expect(try await host.content(media, by: users[0]).body == ItemHost.wav(1))
      for reader in [nil, users[1]] {
        #expect(try await host.content(media, by: reader).problem?.code == "media-not-found")
      }
    }
  }

  @Test func guestsDoNotPublish() async throws {
    try await UploadHost.run { host async throws in
      let guest = TestUser(try await host.test.client.send(AuthAPI.SignInAsGuest()), host.test.client)
      let client = TusClient(user: guest, test: host.test)
      // "everyone" and "owner" in base64.
      let refused = try await client.create(length: 2044, ["Upload-Metadata": "visibility ZXZlcnlvbmU="])
      #expect(refused.status == 403)
      #expect(try await host.count("SELECT COUNT(*) FROM uploads") == 0)
      let created = try await client.create(length: 2044, ["Upload-Metadata": "visibility b3duZXI="])
      #expect(created.status == 201)
      let done = try await client.append([UInt8].recording(2044), at: 0, to: try created.location)
      let media = MediaID(trusted: try #require(done["Upload-Media"]))
      for visibility in [MediaVisibility.connections, .everyone] {
        let update = MediaAPI.UpdateMedia(id: media, visibility: visibility)
        #expect(try await problem { _ = try await guest.client.send(update) }?.code == "forbidden")
      }
      #expect(try await guest.client.send(MediaAPI.GetMedia(id: media)).visibility == .owner)
    }
  }

  /// Others get a picture without what the camera has written into it.
  @Test(arguments: TestDatabase.allCases)
  func othersDoNotLearnTheHashOfAWithheldOriginal(_ database: TestDatabase) async throws {
    try await ItemHost.run(database) { host async throws in
      let users = try await host.users("ada", "bob")
      let picture = try await host.ready(
        ItemHost.png, by: users[0], visibility: .everyone, files: ["picture.jpg": "cover"])
      _ = try await users[1].client.send(MediaAPI.SaveMedia(id: picture))
      let seen = [
        try await users[1].client.send(MediaAPI.GetMedia(id: picture)),
        try #require(try await users[1].client.send(MediaAPI.ListMedia()).items.first),
        try #require(try await users[1].client.send(MediaAPI.ListSavedMedia()).items.first),
      ]
      #expect(seen.map(\.sha256) == [nil, nil, nil])
      #expect(seen.map(\.bytes) == [nil, nil, nil])
      let own = try await users[0].client.send(MediaAPI.GetMedia(id: picture))
      #expect(own.sha256 == (try ItemHost.hash(ItemHost.png).description))
      #expect(own.bytes == Int64(ItemHost.png.count))
    }
  }

  @Test func followersAreAskedAgainWhenFewerMayFollow() async throws {
    try await ItemHost.run { host async throws in
      let user = try await host.users("ada")[0]
      let media = try await host.beat(1, by: user)
      func ended() async throws -> Int {
        try await host.test.recorded(TopicAccessEnded.self, by: MediaAPI.self).count { $0.topics == [media.topic] }
      }
      for (visibility, count) in [(MediaVisibility.everyone, 0), (.connections, 1), (.everyone, 1), (.owner, 2)] {
        _ = try await user.client.send(MediaAPI.UpdateMedia(id: media, visibility: visibility))
        #expect(try await ended() == count, "\(visibility)")
      }
    }
  }
}

extension ItemHost {
  fileprivate func advance(_ media: MediaID, to state: MediaState, _ failure: MediaFailure?) async throws {
    try await core.database.write { [core] tx in _ = try core.media.advance(media, to: state, failure: failure, in: tx)
    }
  }
}
