import MediaFiles
import TestKit
import Testing

struct VideoTests {
  struct Variant: Decodable {
    var uri: String
    var bandwidth: Int
    var average: Int
    var codecs: String
    var width: Int
    var height: Int
    var frameRate: Double
    var seconds: [Double]
    var peak: Double
    var isIndependent: Bool
    var target: Int
    var isComplete: Bool
  }

  private func renditions(of path: String, _ bench: ConversionBench) async throws -> (HLSRenditions, [Variant]) {
    let probe = try await bench.converter.probe(path, in: bench.folder)
    let made = try await bench.converter.renditions(of: path, probe, in: bench.folder)
    return (made, try await bench.python("playlist", bench.folder + "/master.m3u8", as: [Variant].self))
  }

  @Test func thePlaylistsDescribeTheirSegments() async throws {
    try await ConversionBench.run { bench in
      let path = try await bench.video(size: "1280x720", seconds: 14)
      let (made, variants) = try await renditions(of: path, bench)
      #expect(variants.map { [$0.width, $0.height] } == [[640, 360], [1280, 720]])
      for variant in variants {
        #expect(Double(variant.bandwidth) >= variant.peak)
        #expect(variant.average <= variant.bandwidth)
        #expect(variant.seconds == [6, 6, 2])
        #expect(variant.target == 6)
        #expect(variant.frameRate == 30)
        #expect(variant.isIndependent)
        #expect(variant.isComplete)
        let parts = variant.codecs.split(separator: ",")
        #expect(parts.first?.hasPrefix("avc1.6400") == true)
        #expect(parts.last == "mp4a.40.2")
      }
      #expect(made.milliseconds == 14_000)
      #expect(
        made.files.map(\.name).sorted() == [
          "hls/360p.m3u8", "hls/360p.mp4", "hls/720p.m3u8", "hls/720p.mp4", "hls/master.m3u8",
        ])
    }
  }

  @Test func theSpaceOfAConversionIsThatOfItsRenditions() async throws {
    try await ConversionBench.run { bench in
      let path = try await bench.video(size: "1280x720", seconds: 2)
      var probe = try await bench.converter.probe(path, in: bench.folder)
      #expect(try await bench.converter.space(forVideo: path, probe) < 64 << 20)
      probe.milliseconds = 3_600_000
      // At 0.9 and 2.9 Mbit/s, and the MP4 as large as the larger one.
      let bytes = try await bench.converter.space(forVideo: path, probe)
      #expect((3_000_000_000...3_600_000_000).contains(bytes))
      #expect((144_000_000...300_000_000).contains(bench.converter.space(forRecording: probe)))
    }
  }

  @Test func everySegmentIsDecodableOnItsOwn() async throws {
    try await ConversionBench.run { bench in
      let (_, variants) = try await renditions(of: bench.video(seconds: 13), bench)
      for variant in variants {
        let segments = try await bench.python("segments", "\(bench.folder)/\(variant.uri)", as: [String].self)
        #expect(segments.count == 3)
        for segment in segments {
          let first = try await Command.run([
            "ffprobe", "-v", "error", "-select_streams", "v:0", "-show_entries", "frame=pict_type,key_frame",
            "-of", "csv=p=0", "-read_intervals", "%+#1", segment,
          ])
          #expect(first.hasPrefix("1,I"))
          let errors = try await Command.run(["ffmpeg", "-v", "error", "-i", segment, "-f", "null", "-"])
          #expect(errors == "")
        }
      }
    }
  }

  /// Players read the peak; ffmpeg's own playlists state less than it where the picture changes a lot for a moment.
  @Test func theBandwidthIsThatOfThePeak() async throws {
    try await ConversionBench.run { bench in
      let still = "color=gray:s=640x360:r=30:d=18[a];nullsrc=s=640x360:r=30:d=6,geq=random(1)*255:128:128[b]"
      let path = try await bench.make(
        "burst.mp4",
        [
          "-f", "lavfi", "-i", still + ";[a][b]concat=n=2:v=1", "-c:v", "libx264", "-preset", "ultrafast",
          "-pix_fmt", "yuv420p",
        ])
      let (_, variants) = try await renditions(of: path, bench)
      let variant = try #require(variants.first)
      #expect(Double(variant.bandwidth) >= variant.peak)
      #expect(variant.bandwidth > 2 * variant.average)
    }
  }

  @Test(arguments: [
    ("320x180", ["180p"]), ("640x480", ["360p", "480p"]), ("640x400", ["360p"]), ("720x1280", ["360p", "720p"]),
    ("1920x1080", ["360p", "720p", "1080p"]), ("33x17", ["17p"]),
  ])
  func noRenditionIsLargerThanTheVideo(_ size: String, _ expected: [String]) async throws {
    try await ConversionBench.run { bench in
      let path = try await bench.video("video.mkv", size: size, seconds: 1, ["-pix_fmt", "yuv444p"])
      let probe = try await bench.converter.probe(path, in: bench.folder)
      let video = try #require(probe.video)
      let ladder = Rendition.ladder(for: video)
      #expect(ladder.map(\.name) == expected)
      let made = try await bench.converter.renditions(of: path, probe, in: bench.folder)
      for rendition in ladder {
        #expect(rendition.width <= video.width)
        #expect(rendition.height <= video.height)
        let content = try await bench.probe("\(bench.folder)/\(rendition.name).mp4")
        #expect(content.video?.width == rendition.width)
        #expect(content.video?.height == rendition.height)
        #expect(content.video?.pix_fmt == "yuv420p")
      }
      #expect(abs(made.milliseconds - 1000) < 100)
    }
  }

  @Test func aTurnedPhoneVideoIsUpright() async throws {
    try await ConversionBench.run { bench in
      let lying = try await bench.video("lying.mp4", size: "640x360", seconds: 2)
      let path = try await bench.make("phone.mov", ["-i", lying, "-c", "copy", "-metadata:s:v:0", "rotate=90"])
      let probe = try await bench.converter.probe(path, in: bench.folder)
      #expect(probe.video?.rotation == 270)
      #expect(probe.video?.width == 360)
      #expect(probe.video?.height == 640)
      let (_, variants) = try await renditions(of: path, bench)
      #expect(variants.map { [$0.width, $0.height] } == [[360, 640]])
      let poster = try await bench.probe(bench.converter.poster(of: path, probe, in: bench.folder))
      #expect(poster.video?.width == 360)
      #expect(poster.video?.height == 640)
    }
  }

  @Test func aVideoOfAVaryingRateHasSegmentsOfSixSeconds() async throws {
    try await ConversionBench.run { bench in
      let path = try await bench.make(
        "screen.mkv",
        [
          "-f", "lavfi", "-i", "testsrc=s=640x360:r=50:d=14,select='if(lt(t,7),not(mod(n,10)),1)'",
          "-fps_mode", "vfr", "-c:v", "libx264", "-preset", "ultrafast",
        ])
      let (_, variants) = try await renditions(of: path, bench)
      let variant = try #require(variants.first)
      for seconds in variant.seconds.dropLast() { #expect(abs(seconds - 6) < 0.2) }
      #expect(abs(variant.seconds.reduce(0, +) - 14) < 0.3)
    }
  }

  @Test func aVideoWithoutSoundHasNone() async throws {
    try await ConversionBench.run { bench in
      let path = try await bench.video(seconds: 3, sound: false)
      let (made, variants) = try await renditions(of: path, bench)
      #expect(variants.allSatisfy { !$0.codecs.contains("mp4a") })
      let probe = try await bench.converter.probe(path, in: bench.folder)
      let mp4 = try await bench.probe(bench.converter.mp4(of: path, probe, made, in: bench.folder))
      #expect(mp4.audio?.codec_name == nil)
    }
  }

  /// The order of the boxes at the top of an MP4 file.
  private func boxes(_ bytes: [UInt8]) -> [String] {
    var (boxes, offset): ([String], Int) = ([], 0)
    while offset + 8 <= bytes.count {
      let size = bytes[offset..<(offset + 4)].reduce(0) { $0 << 8 | Int($1) }
      boxes.append(String(decoding: bytes[(offset + 4)..<(offset + 8)], as: UTF8.self))
      guard size >= 8 else { break }
      offset += size
    }
    return boxes
  }

  @Test(arguments: [
    ("source.mp4", ["-metadata", "title=Secret", "-metadata", "location=+48.2+016.3/"], "h264"),
    ("source.webm", ["-c:v", "libvpx", "-deadline", "realtime", "-c:a", "libopus"], "h264"),
  ])
  func theIndexOfAnMP4FileIsBeforeItsContent(_ name: String, _ options: [String], _ codec: String) async throws {
    try await ConversionBench.run { bench in
      let path = try await bench.video(name, size: "320x240", seconds: 3, options)
      let probe = try await bench.converter.probe(path, in: bench.folder)
      let made = try await bench.converter.renditions(of: path, probe, in: bench.folder)
      let mp4 = try await bench.converter.mp4(of: path, probe, made, in: bench.folder)
      let order = boxes(try bench.load(mp4))
      let (index, content) = (try #require(order.firstIndex(of: "moov")), try #require(order.firstIndex(of: "mdat")))
      #expect(index < content)
      let probed = try await bench.probe(mp4)
      #expect(probed.video?.codec_name == codec)
      #expect(probed.audio?.codec_name == "aac")
      #expect(abs(probed.seconds - 3) < 0.2)
      #expect(probed.format.tags?["title"] == nil)
      #expect(probed.format.tags?["location"] == nil)
    }
  }

  /// A playable video keeps its quality.
  @Test func aPlayableVideoIsOnlyRepackaged() async throws {
    try await ConversionBench.run { bench in
      let path = try await bench.video(seconds: 2)
      let probe = try await bench.converter.probe(path, in: bench.folder)
      let made = try await bench.converter.renditions(of: path, probe, in: bench.folder)
      let mp4 = try await bench.converter.mp4(of: path, probe, made, in: bench.folder)
      let hash = ["ffmpeg", "-v", "error", "-i"], streams = ["-map", "0:v", "-c", "copy", "-f", "md5", "-"]
      let (before, after) = (
        try await Command.run(hash + [path] + streams), try await Command.run(hash + [mp4] + streams)
      )
      #expect(before == after)
    }
  }

  @Test func aPosterCarriesNoTraceOfItsEncoder() async throws {
    try await ConversionBench.run { bench in
      let path = try await bench.video(seconds: 3)
      let probe = try await bench.converter.probe(path, in: bench.folder)
      let poster = try bench.load(try await bench.converter.poster(of: path, probe, in: bench.folder))
      #expect(poster.starts(with: [0xFF, 0xD8]))
      #expect(!String(decoding: poster, as: UTF8.self).contains("Lavc"))
    }
  }

  @Test func progressGrows() async throws {
    try await ConversionBench.run { bench in
      let path = try await bench.video(seconds: 6)
      let probe = try await bench.converter.probe(path, in: bench.folder)
      let seen = Seen()
      _ = try await bench.converter.renditions(of: path, probe, in: bench.folder) { await seen.add($0) }
      let values = await seen.values
      #expect(values == values.sorted())
      let last = try #require(values.last)
      #expect(last > 0.9)
      #expect(last <= 1)
    }
  }

  private actor Seen {
    var values: [Double] = []
    func add(_ value: Double) { values.append(value) }
  }
}
