import Foundation
import MediaFiles
import TestKit
import Testing

struct WaveformTests {
  private struct Format: Decodable, Equatable {
    var version: Int
    var channels: Int
    var sample_rate: Int
    var samples_per_pixel: Int
    var bits: Int
    var length: Int
    var data: [Int]
  }

  /// A file, and the samples that ffmpeg decodes from it.
  private func source(_ name: String, in bench: ConversionBench, _ arguments: [String]) async throws
    -> (path: String, samples: String)
  {
    let path = try await bench.make(name, arguments)
    return (path, try await bench.make("\(name).pcm", ["-i", path, "-map", "0:a:0", "-f", "s16le"]))
  }

  @Test(arguments: [
    ("mono.wav", ["-ac", "1", "-ar", "44100"]), ("stereo.flac", ["-ac", "2", "-ar", "48000"]),
    ("stereo.mp3", ["-ac", "2", "-ar", "22050", "-q:a", "6"]), ("phone.m4a", ["-ac", "1", "-ar", "8000"]),
    ("music.ogg", ["-ac", "2", "-c:a", "libvorbis"]),
  ])
  func waveformsEqualThoseOfNumpy(_ name: String, _ options: [String]) async throws {
    try await ConversionBench.run { bench in
      let noise = ["-f", "lavfi", "-i", "anoisesrc=d=3.3:seed=7:a=0.9,aformat=channel_layouts=stereo"]
      let (path, samples) = try await source(name, in: bench, noise + options)
      let probe = try await bench.converter.probe(path, in: bench.folder)
      let (waveforms, _) = try await bench.converter.waveforms(of: path, probe, in: bench.folder)
      #expect(waveforms.map(\.samplesPerPixel) == [256, 1024, 4096])
      let audio = try #require(probe.audio)
      for waveform in waveforms {
        let file = try bench.converter.write(waveform, in: bench.folder)
        let written = try JSONDecoder().decode(Format.self, from: Data(bench.load(file.path)))
        let expected = try await bench.python(
          "peaks", samples, "\(audio.channels)", "\(waveform.samplesPerPixel)", as: [Int].self)
        #expect(
          written
            == Format(
              version: 2, channels: 1, sample_rate: audio.sampleRate, samples_per_pixel: waveform.samplesPerPixel,
              bits: 8, length: expected.count / 2, data: expected))
      }
    }
  }

  @Test func eachChannelHasItsPeaks() {
    var builder = WaveformBuilder(channels: 2, sampleRate: 8000, isMono: false)
    let frames = (0..<300).flatMap { _ -> [UInt8] in [0x00, 0x40, 0x00, 0xC0] }
    builder.append(frames)
    let waveforms = builder.finish()
    #expect(waveforms[0].peaks == [64, 64, -64, -64, 64, 64, -64, -64])
    #expect(waveforms[1].peaks == [64, 64, -64, -64])
    #expect(waveforms[0].length == 2)
  }

  @Test func chunksOfAnySizeMakeTheSameWaveform() {
    var generator = SeededGenerator()
    let bytes = (0..<40_000).map { _ in UInt8.random(in: 0...255, using: &generator) }
    var whole = WaveformBuilder(channels: 2, sampleRate: 44_100)
    whole.append(bytes)
    var parts = WaveformBuilder(channels: 2, sampleRate: 44_100)
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = min(rest.count, Int.random(in: 1...999, using: &generator))
      parts.append(rest.prefix(count))
      rest = rest.dropFirst(count)
    }
    #expect(parts.finish() == whole.finish())
    #expect(parts.frames == 10_000)
  }

  /// Without a table of its frames, the header of an MP3 file of a varying rate gives another length.
  @Test func theLengthIsThatOfTheSamples() async throws {
    try await ConversionBench.run { bench in
      let silence = "anullsrc=r=44100:cl=mono,atrim=duration=30[a];anoisesrc=d=2:r=44100[b];[a][b]concat=n=2:v=0:a=1"
      let path = try await bench.make(
        "varying.mp3", ["-f", "lavfi", "-i", silence, "-q:a", "4", "-write_xing", "0", "-id3v2_version", "0"])
      let probe = try await bench.converter.probe(path, in: bench.folder)
      let claimed = try #require(probe.milliseconds)
      let (_, milliseconds) = try await bench.converter.waveforms(of: path, probe, in: bench.folder)
      #expect(abs(milliseconds - 32_000) < 150)
      #expect(abs(claimed - 32_000) > 1000)
    }
  }

  @Test func aLongRecordingIsRefused() async throws {
    try await ConversionBench.run(limits: MediaLimits(audioSeconds: 5)) { bench in
      let path = try await bench.make("long.wav", ["-f", "lavfi", "-i", "anullsrc=r=8000:cl=mono", "-t", "6"])
      let error = try await mediaError { _ = try await bench.converter.probe(path, in: bench.folder) }
      #expect(error == .tooLarge)
    }
  }
}
