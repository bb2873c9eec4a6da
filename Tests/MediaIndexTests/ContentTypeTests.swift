import Contracts
import Foundation
import TestKit
import Testing

@testable import MediaIndexService

/// Types of files by their content, of files that real programs have written.
struct ContentTypeTests {
  private static let sound = ["-f", "lavfi", "-i", "sine=f=440:d=1"]
  private static let pictures = ["-f", "lavfi", "-i", "testsrc=s=64x48:d=1"]

  @Test(arguments: [
    ("a.mp3", sound, "audio/mpeg"), ("plain.mp3", sound + ["-id3v2_version", "0", "-write_xing", "0"], "audio/mpeg"),
    ("a.wav", sound, "audio/wav"), ("a.flac", sound, "audio/flac"), ("a.m4a", sound, "audio/mp4"),
    ("a.aac", sound, "audio/aac"), ("a.ogg", sound + ["-c:a", "libvorbis"], "audio/ogg"),
    ("a.opus", sound, "audio/ogg"), ("v.mp4", pictures, "video/mp4"),
    ("fragments.mp4", pictures + ["-movflags", "frag_keyframe+empty_moov"], "video/mp4"),
    ("v.mov", pictures, "video/quicktime"), ("v.webm", pictures + ["-deadline", "realtime"], "video/webm"),
    ("p.jpg", pictures + ["-frames:v", "1"], "image/jpeg"), ("p.png", pictures + ["-frames:v", "1"], "image/png"),
    ("p.webp", pictures + ["-frames:v", "1"], "image/webp"), ("p.gif", pictures + ["-frames:v", "1"], "image/gif"),
    ("p.bmp", pictures + ["-frames:v", "1"], nil), ("v.avi", pictures, nil),
  ])
  func filesOfFFmpeg(_ name: String, _ arguments: [String], _ expected: String?) async throws {
    try await TemporaryFolder.run { folder in
      try await Command.run(["ffmpeg", "-v", "error"] + arguments + ["\(folder)/\(name)"])
      #expect(try Self.type(of: "\(folder)/\(name)") == expected)
    }
  }

  @Test(arguments: [("p.heic", "image/heic"), ("p.avif", "image/avif")])
  func picturesOfVips(_ name: String, _ expected: String) async throws {
    try await TemporaryFolder.run { folder in
      try await Command.run(["vips", "black", "\(folder)/\(name)", "64", "48", "--bands", "3"])
      #expect(try Self.type(of: "\(folder)/\(name)") == expected)
    }
  }

  /// A file that ends early, or is changed anywhere, has a type or none.
  @Test func anyBytesAreLookedAt() async throws {
    try await TemporaryFolder.run { folder in
      var random = SeededGenerator()
      let seed = "\(random)"
      for (name, arguments) in [("a.mp3", Self.sound), ("a.m4a", Self.sound), ("a.aac", Self.sound)] {
        try await Command.run(["ffmpeg", "-v", "error"] + arguments + ["\(folder)/\(name)"])
        let whole = try Self.read("\(folder)/\(name)")
        for _ in 0..<500 {
          var bytes = Array(whole.prefix(Int.random(in: 0...600, using: &random)))
          for _ in 0..<Int.random(in: 0...4, using: &random) where !bytes.isEmpty {
            bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
          }
          let type = ContentType(of: bytes, bytes: Int64(bytes.count))
          #expect(type?.kind != .document, "\(name) \(seed)")
        }
      }
    }
  }

  private static func read(_ path: String) throws -> [UInt8] { Array(try Data(contentsOf: URL(fileURLWithPath: path))) }

  private static func type(of path: String) throws -> String? {
    let bytes = try read(path)
    return ContentType(of: Array(bytes.prefix(ContentType.headBytes)), bytes: Int64(bytes.count))?.name
  }
}
