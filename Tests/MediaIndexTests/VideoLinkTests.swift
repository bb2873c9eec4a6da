import Contracts
import TestKit
import Testing

@testable import MediaIndexService

/// Videos on YouTube as media.
struct VideoLinkTests {
  private static let id = "aqz-KE-bpKQ"

  @Test(
    arguments: [
      ("https://www.youtube.com/watch?v=aqz-KE-bpKQ", nil), ("https://youtube.com/watch?v=aqz-KE-bpKQ&t=90", 90),
      ("https://m.youtube.com/watch?app=desktop&v=aqz-KE-bpKQ&t=1m30s", 90),
      ("https://music.youtube.com/watch?v=aqz-KE-bpKQ&list=RDAMVM", nil),
      ("https://youtu.be/aqz-KE-bpKQ?si=share&t=1h2m3s", 3723), ("https://youtu.be/aqz-KE-bpKQ#t=12s", 12),
      ("https://www.youtube.com/shorts/aqz-KE-bpKQ?feature=share", nil),
      ("https://www.youtube.com/live/aqz-KE-bpKQ", nil), ("https://www.youtube.com/v/aqz-KE-bpKQ", nil),
      ("https://www.youtube-nocookie.com/embed/aqz-KE-bpKQ?start=7", 7),
      ("https://WWW.YouTube.com/watch?v=aqz-KE-bpKQ&t=0", nil), ("https://youtu.be/aqz-KE-bpKQ?t=soon", nil),
      ("https://youtu.be/aqz-KE-bpKQ?t=99999999999999999999", nil),
    ] as [(String, Int?)]
  )
  func everyUsualFormOfTheURLIsRead(url: String, start: Int?) throws {
    let video = try #require(YouTubeVideo(YouTubeLink(checked: url)))
    #expect(video == YouTubeVideo(id: Self.id, start: start))
  }

  @Test(arguments: [
    "https://www.youtube.com/", "https://www.youtube.com/watch", "https://www.youtube.com/watch?v=short",
    "https://www.youtube.com/watch?v=aqz-KE-bpKQ1", "https://www.youtube.com/watch?v=aqz-KE%2bpKQ",
    "https://www.youtube.com/@channel", "https://www.youtube.com/playlist?list=aqz-KE-bpKQ", "https://youtu.be/",
    "https://youtu.be/aqz-KE-bpKQ/more", "https://www.youtube.com/embed/aqz-KE-bpKQ/x",
    "http://youtu.be/aqz-KE-bpKQ",
  ])
  func otherURLsAreNoVideos(url: String) { #expect(YouTubeVideo(YouTubeLink(checked: url)) == nil) }

  @Test(arguments: TestDatabase.allCases)
  func aVideoIsAMediumWithoutAFile(_ database: TestDatabase) async throws {
    try await ItemHost.run(database) { host async throws in
      let users = try await host.users("ada", "bob")
      let request = MediaAPI.AddVideoLink(
        url: try YouTubeLink(validating: "https://youtu.be/\(Self.id)?t=90"),
        title: try ShortText(validating: "How to tie a bow"), productType: try Slug(validating: "bows"))
      let added = try await users[0].client.send(request)
      #expect(added.kind == .video)
      #expect(added.state == .ready)
      #expect(added.bytes == nil)
      #expect(added.link?.provider == .youtube)
      #expect(added.link?.url.rawValue == "https://www.youtube.com/watch?v=\(Self.id)&t=90s")
      #expect(added.link?.embedURL.rawValue == "https://www.youtube-nocookie.com/embed/\(Self.id)?start=90")
      #expect(try await users[1].client.send(MediaAPI.GetMedia(id: added.id)) == added)
      for user in users { #expect(try await host.content(added.id, by: user).status == 404) }
      _ = try await users[0].client.send(MediaAPI.DeleteMedia(id: added.id))
      let gone = try await problem { _ = try await users[0].client.send(MediaAPI.GetMedia(id: added.id)) }
      #expect(gone?.code == "media-not-found")
    }
  }

  @Test func whatIsNoVideoIsRefused() async throws {
    try await ItemHost.run { host async throws in
      let ada = try await host.users("ada")[0]
      for (url, status) in [
        ("https://www.youtube.com/@channel", 422), ("https://example.com/watch?v=\(Self.id)", 422),
        ("https://youtube.com.example.com/watch?v=\(Self.id)", 422), ("http://youtu.be/\(Self.id)", 422),
        ("javascript:alert(1)", 422), ("https://youtu.be/\(Self.id)", 201),
      ] {
        let response = try await host.test.send(.post, "/v1/media/links", #"{"url":"\#(url)","title":"x"}"#, by: ada)
        #expect(response.status == status, "\(url)")
        if status == 422 { #expect(try response.problem?.errors?.map(\.location) == ["body.url"], "\(url)") }
      }
    }
  }
}
