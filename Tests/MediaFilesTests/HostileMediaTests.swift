import Foundation
import MediaFiles
import TestKit
import Testing

/// Files that are not what they seem to be, and programs that hang.
struct HostileMediaTests {
  private func expect(
    _ expected: MediaFileError, of path: String, in bench: ConversionBench,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let error = try await mediaError {
      let probe = try await bench.converter.probe(path, in: bench.folder)
      switch probe.kind {
      case .audio: _ = try await bench.converter.waveforms(of: path, probe, in: bench.folder)
      case .video: _ = try await bench.converter.renditions(of: path, probe, in: bench.folder)
      }
    }
    #expect(error == expected, sourceLocation: sourceLocation)
  }

  @Test func textIsNoVideo() async throws {
    try await ConversionBench.run { bench in
      try await expect(.invalidContent, of: try bench.save("Hello, video.".utf8, "text.mp4"), in: bench)
    }
  }

  @Test func nothingIsNoVideo() async throws {
    try await ConversionBench.run { bench in
      try await expect(.invalidContent, of: try bench.save([], "empty.mp4"), in: bench)
    }
  }

  @Test func aPictureIsNoVideo() async throws {
    try await ConversionBench.run { bench in
      let path = try await bench.make("still.png", ["-f", "lavfi", "-i", "testsrc=s=64x64", "-frames:v", "1"])
      try await expect(.invalidContent, of: path, in: bench)
    }
  }

  /// The index is at the end, or at the beginning.
  @Test(arguments: [[], ["-movflags", "+faststart"]])
  func aTruncatedVideoIsRefused(_ options: [String]) async throws {
    try await ConversionBench.run { bench in
      let whole = try bench.load(try await bench.video(seconds: 10, options))
      try await expect(.invalidContent, of: try bench.save(whole.prefix(whole.count / 2), "half.mp4"), in: bench)
    }
  }

  @Test func aTruncatedRecordingInMP4IsRefused() async throws {
    try await ConversionBench.run { bench in
      let path = try await bench.make(
        "whole.m4a", ["-f", "lavfi", "-i", "sine=440:d=20", "-c:a", "aac", "-movflags", "+faststart"])
      let whole = try bench.load(path)
      try await expect(.invalidContent, of: try bench.save(whole.prefix(whole.count / 2), "half.m4a"), in: bench)
    }
  }

  @Test func garbageInATagIsSkipped() async throws {
    try await ConversionBench.run { bench in
      let path = try await bench.make(
        "plain.mp3", ["-f", "lavfi", "-i", "sine=440:d=3", "-id3v2_version", "0", "-write_xing", "0"])
      var generator = SeededGenerator()
      let garbage = (0..<20_000).map { _ in UInt8.random(in: 0...127, using: &generator) }
      // A tag of 20,000 bytes, of which four digits of seven bits state the size.
      let header: [UInt8] = Array("ID3".utf8) + [4, 0, 0, 0, 1, 28, 32]
      let tagged = try bench.save(header + garbage + bench.load(path), "tagged.mp3")
      let probe = try await bench.converter.probe(tagged, in: bench.folder)
      let (_, milliseconds) = try await bench.converter.waveforms(of: tagged, probe, in: bench.folder)
      #expect(abs(milliseconds - 3000) < 150)
    }
  }

  @Test func onlyGarbageIsNoRecording() async throws {
    try await ConversionBench.run { bench in
      var generator = SeededGenerator()
      let garbage = (0..<50_000).map { _ in UInt8.random(in: 0...255, using: &generator) }
      let header: [UInt8] = Array("ID3".utf8) + [4, 0, 0, 0, 1, 28, 32]
      try await expect(.invalidContent, of: try bench.save(header + garbage, "garbage.mp3"), in: bench)
    }
  }

  @Test func aContainerWithSoundOnlyIsARecording() async throws {
    try await ConversionBench.run { bench in
      let path = try await bench.make("sound.mp4", ["-f", "lavfi", "-i", "sine=440:d=2", "-c:a", "aac"])
      let probe = try await bench.converter.probe(path, in: bench.folder)
      #expect(probe.kind == .audio)
    }
  }

  @Test func aCoverMakesNoVideoOfARecording() async throws {
    try await ConversionBench.run { bench in
      let cover = try await bench.make("cover.jpg", ["-f", "lavfi", "-i", "testsrc=s=64x64", "-frames:v", "1"])
      let path = try await bench.make(
        "covered.mp3",
        [
          "-f", "lavfi", "-i", "sine=440:d=2", "-i", cover, "-map", "0", "-map", "1", "-disposition:v",
          "attached_pic",
        ])
      let probe = try await bench.converter.probe(path, in: bench.folder)
      #expect(probe.kind == .audio)
    }
  }

  /// A playlist would make ffmpeg open the files that it names.
  @Test(arguments: [
    "#EXTM3U\n#EXT-X-TARGETDURATION:9\n#EXTINF:9,\nfile:///etc/passwd\n#EXT-X-ENDLIST\n",
    "ffconcat version 1.0\nfile '/etc/passwd'\n",
  ])
  func playlistsAreNotFollowed(_ text: String) async throws {
    try await ConversionBench.run { bench in
      try await expect(.invalidContent, of: try bench.save(text.utf8, "list.mp4"), in: bench)
    }
  }

  @Test func aHugePictureIsRefused() async throws {
    try await ConversionBench.run(limits: MediaLimits(pixels: 640 * 480)) { bench in
      let path = try await bench.video(size: "642x480", seconds: 1)
      try await expect(.tooLarge, of: path, in: bench)
    }
  }

  @Test func framesAreNotMultiplied() async throws {
    try await ConversionBench.run { bench in
      let path = try await bench.video(size: "640x360", seconds: 60, rate: "1/10", sound: false)
      let probe = try await bench.converter.probe(path, in: bench.folder)
      _ = try await bench.converter.renditions(of: path, probe, in: bench.folder)
      let frames = try await Command.run([
        "ffprobe", "-v", "error", "-count_packets", "-select_streams", "v:0", "-show_entries",
        "stream=nb_read_packets", "-of", "csv=p=0", "\(bench.folder)/360p.mp4",
      ])
      let count = try #require(Int(frames.filter(\.isNumber)))
      #expect((5...8).contains(count))
    }
  }

  @Test func aVideoOfTooManyPixelsIsRefusedBeforeItIsDecoded() async throws {
    try await ConversionBench.run(limits: MediaLimits(videoPixels: 640 * 480 * 30 * 2)) { bench in
      // Decoded and encoded in two sizes.
      try await expect(.tooLarge, of: try await bench.video(size: "640x480", seconds: 2), in: bench)
    }
  }

  @Test func aHugeSampleRateIsRefused() async throws {
    try await ConversionBench.run { bench in
      let path = try await bench.make("fast.wav", ["-f", "lavfi", "-i", "sine=440:r=384000:d=1"])
      try await expect(.tooLarge, of: path, in: bench)
    }
  }

  /// Silence takes few bytes in FLAC.
  @Test func aSmallRecordingBecomesNoLargeOne() async throws {
    try await ConversionBench.run { bench in
      let path = try await bench.make("silence.flac", ["-f", "lavfi", "-i", "anullsrc=r=44100:cl=stereo", "-t", "60"])
      let probe = try await bench.converter.probe(path, in: bench.folder)
      let made = try await bench.converter.mp3(of: path, probe, in: bench.folder)
      #expect(try bench.load(made).count < 60 * 40_000 / 8)
    }
  }

  @Test func sampleRatesMayVary() async throws {
    try await ConversionBench.run { bench in
      let slow = try await bench.make("a.aac", ["-f", "lavfi", "-i", "sine=440:r=22050:d=2", "-c:a", "aac"])
      let fast = try await bench.make("b.aac", ["-f", "lavfi", "-i", "sine=440:r=44100:d=2", "-c:a", "aac"])
      let path = try bench.save(bench.load(slow) + bench.load(fast), "both.aac")
      let probe = try await bench.converter.probe(path, in: bench.folder)
      let (_, milliseconds) = try await bench.converter.waveforms(of: path, probe, in: bench.folder)
      #expect(abs(milliseconds - 4000) < 300)
    }
  }

  // MARK: programs

  /// A folder with a program that does something else, and the real others.
  private func tools(_ name: String, _ script: String, in folder: String) throws -> String {
    let path = "\(folder)/tools"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    let file = "\(path)/\(name)"
    try Data("#!/bin/sh\n\(script)\n".utf8).write(to: URL(fileURLWithPath: file))
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: file)
    return "\(path):/usr/bin"
  }

  @Test(arguments: ["ffprobe", "ffmpeg"])
  func aHangingProgramIsEnded(_ name: String) async throws {
    try await TemporaryFolder.run { folder in
      let path = try tools(name, "exec sleep 1000", in: folder)
      try await ConversionBench.run(tools: path, stall: .seconds(0.3)) { bench in
        let file = try await bench.make("sound.wav", ["-f", "lavfi", "-i", "sine=440:d=1"])
        try await expect(.tooLarge, of: file, in: bench)
      }
    }
  }

  @Test func aMissingProgramIsNamed() async throws {
    try await ConversionBench.run(tools: "/nonexistent") { bench in
      try await expect(.toolMissing(.ffprobe), of: try bench.save([1, 2, 3], "file"), in: bench)
    }
  }
}
