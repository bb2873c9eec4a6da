import Contracts
import ServiceKit
import TestKit
import Testing

@testable import MediaIndexService

/// Links for players that cannot send a token.
@Suite(.serialized)
struct MediaLinkTests {
  @Test func aLinkGivesWhatItsCreatorMayLoad() async throws {
    let time = ManualTime()
    try await ItemHost.run(time: time) { host async throws in
      let users = try await host.users("ada", "bob")
      let media = try await host.beat(1, by: users[0])
      let link = try await users[0].client.send(
        MediaAPI.LinkMedia(id: media, seconds: LinkSeconds(checked: 120)))
      #expect(try await host.load(link.url).body == ItemHost.wav(1))
      time.advance(seconds: 119)
      #expect(try await host.load(link.url).status == 200)
      time.advance(seconds: 2)
      #expect(try await host.load(link.url).status == 403)
    }
  }

  @Test func guestsDoNotPublishByLinks() async throws {
    try await ItemHost.run { host async throws in
      let guest = TestUser(try await host.test.client.send(AuthAPI.SignInAsGuest()), host.test.client)
      let media = try await host.upload(ItemHost.wav(1), by: guest)
      #expect(try await host.content(media, by: guest).status == 200)
      let refused = try await problem { _ = try await guest.client.send(MediaAPI.LinkMedia(id: media)) }
      #expect(refused?.code == "forbidden")
    }
  }

  @Test func aLinkIsForItsMediumAndCreatorOnly() async throws {
    try await ItemHost.run { host async throws in
      let users = try await host.users("ada", "bob")
      let (media, other) = (try await host.beat(1, by: users[0]), try await host.beat(2, by: users[0]))
      let link = try await users[0].client.send(MediaAPI.LinkMedia(id: media))
      #expect(try await host.load(link.url.replacing(media.rawValue, with: other.rawValue)).status == 403)
      let link2 = try await problem { _ = try await users[1].client.send(MediaAPI.LinkMedia(id: media)) }
      #expect(link2?.code == "media-not-found")
      let forged = link.url.replacing(users[0].id.rawValue, with: users[1].id.rawValue)
      #expect(try await host.load(forged).status == 403)
    }
  }

  @Test func aLinkEndsWithTheRightOfItsCreator() async throws {
    try await ItemHost.run { host async throws in
      let users = try await host.users("ada", "bob")
      let media = try await host.beat(1, by: users[0], visibility: .everyone)
      let link = try await users[1].client.send(MediaAPI.LinkMedia(id: media))
      #expect(try await host.load(link.url).status == 200)
      _ = try await users[0].client.send(MediaAPI.UpdateMedia(id: media, visibility: .owner))
      #expect(try await host.load(link.url).status == 404)
    }
  }

  @Test func thosePreviewingLinkThePreviewOnly() async throws {
    try await ItemHost.run { host async throws in
      let users = try await host.users("ada", "bob")
      let media = try await host.beat(1, by: users[0])
      try await host.use(media, .preview, in: Topic("listing", host.test.ids.text()))
      let refused = try await problem { _ = try await users[1].client.send(MediaAPI.LinkMedia(id: media)) }
      #expect(refused?.code == "media-not-licensed")
      let file = try MediaFilePath(validating: "preview")
      let link = try await users[1].client.send(MediaAPI.LinkMedia(id: media, file: file))
      #expect(try await host.load(link.url).body == Array("tagged 1".utf8))
      #expect(try await host.load(link.url.replacing("/preview", with: "/content")).status == 403)
    }
  }

  @Test func aLinkedPlaylistLinksItsFiles() async throws {
    try await ItemHost.run { host async throws in
      let user = try await host.users("ada")[0]
      let master = "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\n720p.m3u8\n"
      let list = "#EXTM3U\n#EXT-X-MAP:URI=\"720p.mp4\",BYTERANGE=\"3@0\"\n#EXTINF:6,\n720p.mp4\n#EXT-X-ENDLIST\n"
      let video = Array("\u{0}\u{0}\u{0}\u{18}ftypisom\u{0}\u{0}\u{2}\u{0}isommp41\u{0}\u{0}\u{0}\u{8}free".utf8)
      let media = try await host.ready(
        video, by: user,
        files: ["hls/master.m3u8": master, "hls/720p.m3u8": list, "hls/720p.mp4": "the video"])
      let file = try MediaFilePath(validating: "hls/master.m3u8")
      let link = try await user.client.send(MediaAPI.LinkMedia(id: media, file: file))
      let first = try await host.text(link.url)
      let next = try #require(first.split(separator: "\n").last)
      let second = try await host.text("/v1/media/\(media)/hls/\(next)")
      let segment = try #require(second.split(separator: "\n").first { $0.hasPrefix("720p.mp4?") })
      #expect(second.contains("URI=\"\(segment)\",BYTERANGE"))
      #expect(try await host.text("/v1/media/\(media)/hls/\(segment)") == "the video")
      #expect(try await host.load("/v1/media/\(media)/hls/720p.mp4").status == 404)
      // With a token, playlists are as they were made.
      #expect(try await host.load("/v1/media/\(media)/hls/720p.m3u8", by: user).body == Array(list.utf8))
    }
  }
}

extension ItemHost {
  fileprivate func text(_ path: String) async throws -> String {
    let response = try await load(path)
    guard response.status == 200 else { throw TestKitError("\(response.status)") }
    return String(decoding: response.body, as: UTF8.self)
  }
}
