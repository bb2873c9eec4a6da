import Contracts
import Persistence
import ServiceKit
import TestKit
import Testing

@testable import MediaIndexService

/// Finished uploads become media by what they contain.
@Suite(.serialized)
struct IntakeTests {
  @Test(arguments: TestDatabase.allCases)
  func aFileBecomesAMediumWithAJob(_ database: TestDatabase) async throws {
    try await ItemHost.run(database) { host async throws in
      let user = try await host.users("ada")[0]
      let id = try await host.upload(ItemHost.wav(1), by: user)
      let media = try await user.client.send(MediaAPI.GetMedia(id: id))
      #expect(media.kind == .audio)
      #expect(media.contentType == "audio/wav")
      #expect(media.state == .uploaded)
      #expect(media.bytes == Int64(ItemHost.wav(1).count))
      #expect(media.visibility == .owner)
      #expect(try await host.count("SELECT COUNT(*) FROM jobs WHERE kind = 'process-media'") == 1)
      let response = try await host.content(id, by: user)
      #expect(response.body == ItemHost.wav(1))
    }
  }

  @Test func theNameOfAFileIsEncryptedInTheDatabase() async throws {
    try await ItemHost.run { host async throws in
      let user = try await host.users("ada")[0]
      let id = try await host.upload(ItemHost.wav(1), by: user, name: "Dr Smith.wav")
      let stored = try await host.core.database.read { db in
        try db.value("SELECT file_name FROM media WHERE id = \(id)", as: String.self)
      }
      #expect(try #require(stored).contains("Smith") == false)
      let found = try await host.core.database.read { [core = host.core] db in try core.media.get(id, in: db) }
      #expect(found.fileName == "Dr Smith.wav")
    }
  }

  /// An upload whose last answer was lost, or whose service stopped, is finished again.
  @Test(arguments: TestDatabase.allCases)
  func takingAFileInTwiceChangesNothing(_ database: TestDatabase) async throws {
    try await ItemHost.run(database) { host async throws in
      let user = try await host.users("ada")[0]
      let id: MediaID = host.test.ids.make()
      try await host.upload(ItemHost.wav(1), by: user, id: id)
      try await host.upload(ItemHost.wav(1), by: user, id: id)
      #expect(try await host.count("SELECT COUNT(*) FROM media") == 1)
      #expect(try await host.count("SELECT COUNT(*) FROM media_files") == 1)
    }
  }

  @Test(arguments: [
    ("text as a video", "hello, I am no video", "a.mp4"), ("nothing", "", "a.mp4"),
    ("a picture with a script", "<svg xmlns=\"http://www.w3.org/2000/svg\"><script>alert(1)</script></svg>", "a.png"),
    ("a page", "<!doctype html><script>alert(1)</script>", "a.jpg"),
    ("a script that begins like a GIF", "GIF89a/*" + String(repeating: " ", count: 90) + "*/=1;alert(1)", "a.gif"),
    ("an ID3 tag of garbage", "ID3\u{4}\u{0}\u{0}\u{7f}\u{7f}\u{7f}\u{7f}garbage", "a.mp3"),
    ("a document behind something else", "<html>%PDF-1.7" + String(repeating: " ", count: 90), "a.pdf"),
  ])
  func whatIsNoMediumIsRefused(_ what: String, _ content: String, _ name: String) async throws {
    try await ItemHost.run { host async throws in
      let user = try await host.users("ada")[0]
      await #expect(throws: Problem(.mediaTypeUnsupported)) {
        try await host.upload(Array(content.utf8), by: user, name: name)
      }
      #expect(try await host.count("SELECT COUNT(*) FROM media") == 0)
      #expect(try await host.isStored(Array(content.utf8)) == false)
    }
  }

  @Test func aFileOfAnotherKindThanExpectedIsRefused() async throws {
    try await ItemHost.run { host async throws in
      let user = try await host.users("ada")[0]
      let refused = Problem(.mediaTypeUnsupported, detail: "The file is of the type audio/wav.")
      await #expect(throws: refused) { try await host.upload(ItemHost.wav(1), by: user, kind: .video) }
    }
  }

  /// A page behind a picture stays a picture for every browser.
  @Test func whatIsAlsoAPageIsServedAsAPicture() async throws {
    try await ItemHost.run { host async throws in
      let user = try await host.users("ada")[0]
      let bytes = ItemHost.png + Array("<!doctype html><script>alert(1)</script>".utf8)
      let id = try await host.upload(bytes, by: user, visibility: .everyone, name: "page.html")
      let response = try await host.content(id, by: user)
      #expect(response.header("content-type") == "image/png")
      #expect(response.header("x-content-type-options") == "nosniff")
      #expect(try #require(response.header("content-security-policy")).contains("sandbox"))
    }
  }

  /// The metadata that a camera writes into a picture is for its owner only.
  @Test func othersLoadACopyOfAPicture() async throws {
    try await ItemHost.run { host async throws in
      let users = try await host.users("ada", "bob")
      let fresh = try await host.upload(ItemHost.png, by: users[0], visibility: .everyone)
      #expect(try await host.content(fresh, by: users[1]).problem?.code == "media-not-ready")
      let id = try await host.ready(
        ItemHost.png + [1], by: users[0], visibility: .everyone, files: ["picture.jpg": "a clean copy"])
      #expect(try await host.content(id, by: users[1]).body == Array("a clean copy".utf8))
      #expect(try await host.content(id).body == Array("a clean copy".utf8))
      #expect(try await host.content(id, by: users[0]).body == ItemHost.png + [1])
    }
  }
}
