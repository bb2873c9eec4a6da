import MediaFiles
import TestKit
import Testing

struct AudioPreviewTests {
  private func preview(_ bench: ConversionBench, seconds: Int, tag: PreviewTag = .tones) async throws -> String {
    let path = try await bench.make(
      "track.wav", ["-f", "lavfi", "-i", "sine=300:r=44100:d=\(seconds)", "-ac", "2", "-metadata", "title=Secret"])
    let probe = try await bench.converter.probe(path, in: bench.folder)
    return try await bench.converter.preview(
      of: path, probe, milliseconds: Int64(seconds) * 1000, tag: tag, in: bench.folder)
  }

  /// How loud a frequency is in each tenth of a second.
  private func loudness(_ frequency: Int, of path: String, in bench: ConversionBench) async throws -> [Double] {
    let samples = try await bench.make("preview.pcm", ["-i", path, "-ac", "1", "-ar", "32000", "-f", "s16le"])
    return try await bench.python("tones", samples, "32000", "\(frequency)", as: [Double].self)
  }

  @Test func aPreviewIsShortMonoAndOfALowRate() async throws {
    try await ConversionBench.run { bench in
      let made = try await bench.probe(preview(bench, seconds: 120))
      #expect(abs(made.seconds - 90) < 0.5)
      #expect(made.audio?.codec_name == "mp3")
      #expect(made.audio?.channels == 1)
      let rate = try #require(made.format.bit_rate.flatMap { Int($0) })
      #expect(rate < 66_000)
      #expect(made.format.tags?["title"] == nil)
    }
  }

  @Test func aShortRecordingIsShortenedToo() async throws {
    try await ConversionBench.run { bench in
      let made = try await bench.probe(preview(bench, seconds: 10))
      #expect(abs(made.seconds - 8) < 0.3)
    }
  }

  /// Every eight seconds, also in the middle and at the end.
  @Test func theTagIsRepeatedOverTheMusic() async throws {
    try await ConversionBench.run { bench in
      let path = try await preview(bench, seconds: 60)
      let tag = try await loudness(880, of: path, in: bench), music = try await loudness(300, of: path, in: bench)
      // Encoders add some milliseconds at the beginning: the second tenth is inside of the tone.
      for period in 0..<6 {
        #expect(tag[period * 80 + 1] > 1000)
        #expect(tag[period * 80 + 40] < 100)
        #expect(music[period * 80 + 1] < music[period * 80 + 40] / 2)
      }
    }
  }

  @Test func aRecordingCanBeTheTag() async throws {
    try await ConversionBench.run { bench in
      let tag = try await bench.make("tag.wav", ["-f", "lavfi", "-i", "sine=1500:r=44100:d=1"])
      let path = try await preview(bench, seconds: 30, tag: .recording(path: tag, seconds: 1))
      let heard = try await loudness(1500, of: path, in: bench)
      #expect(heard[3] > 1000)
      #expect(heard[83] > 1000)
      #expect(heard[40] < 100)
    }
  }

  @Test func aRecordingOfAnotherTypeBecomesMP3() async throws {
    try await ConversionBench.run { bench in
      let path = try await bench.make("track.flac", ["-f", "lavfi", "-i", "sine=300:r=96000:d=4", "-ac", "6"])
      let probe = try await bench.converter.probe(path, in: bench.folder)
      let made = try await bench.probe(bench.converter.mp3(of: path, probe, in: bench.folder))
      #expect(made.audio?.codec_name == "mp3")
      #expect(made.audio?.channels == 2)
      #expect(abs(made.seconds - 4) < 0.2)
    }
  }
}
