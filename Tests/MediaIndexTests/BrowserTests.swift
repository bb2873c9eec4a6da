import Contracts
import Foundation
import TestKit
import Testing

@testable import MediaIndexService

/// A browser plays what is made of videos, and seeks in it.
@Suite(.serialized, .timeLimit(.minutes(15)))
struct BrowserTests {
  private static let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("browser.py").path

  private struct Played: Decodable {
    var duration: Double
    var width: Int
    var height: Int
    /// Where it was before it was moved to the second 9, and afterwards.
    var start: Double
    var end: Double
    var frames: Int
  }

  /// The video is its owner's: the browser has nothing but links.
  @Test func chromiumPlaysFilesAndStreams() async throws {
    try await TestPlatform.listen(UploadHost.plugins, settings: UploadHost.unlimited) { test, web in
      let host = ProcessingHost(test: test, core: try test.plugin(MediaIndexPlugin.self).core)
      let ada = try await host.user("ada")
      let id = try await host.upload(host.video(seconds: 13), by: ada)
      // Programs for media give way to everything else: on a busy machine, they may take minutes.
      var isProcessed = false
      while !isProcessed {
        try await Task.sleep(for: .seconds(0.1))
        isProcessed = [.ready, .failed].contains(try await host.media(id, of: ada).state)
      }
      let content = try await ada.client.send(MediaAPI.LinkMedia(id: id))
      let playlist = try await ada.client.send(
        MediaAPI.LinkMedia(id: id, file: MediaFilePath(validating: "hls/master.m3u8")))
      let output = try await Command.run([Python.path(), Self.script, web.url, content.url, playlist.url])
      let all = try JSONDecoder().decode([Played].self, from: Data(output.utf8))
      #expect(all.count == 3)
      for played in all {
        #expect((12.9...13.5).contains(played.duration))
        #expect(played.width == 320)
        #expect(played.height == 240)
        #expect((0.5...13.5).contains(played.start))
        #expect((9.5...13.5).contains(played.end))
        #expect(played.frames > 0)
      }
    }
  }
}
