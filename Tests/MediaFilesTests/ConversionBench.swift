import Foundation
import MediaFiles
import TestKit

/// A folder with a converter and with files that ffmpeg makes for a test.
struct ConversionBench: Sendable {
  let folder: String
  let converter: MediaConverter

  /// - Parameter tools: Where the programs are looked for.
  static func run<Value>(
    tools: String = "/usr/local/bin:/usr/bin:/bin", limits: MediaLimits = MediaLimits(),
    stall: Duration = .seconds(Waiting.limit), _ body: (ConversionBench) async throws -> Value
  ) async throws -> Value {
    try await TemporaryFolder.run { folder in
      let converter = MediaConverter(ToolRunner(searchPath: tools), limits: limits, stall: stall)
      return try await body(ConversionBench(folder: folder, converter: converter))
    }
  }

  /// Makes a file with ffmpeg.
  func make(_ name: String, _ arguments: [String]) async throws -> String {
    let path = "\(folder)/\(name)"
    try await Command.run(["ffmpeg", "-v", "error", "-nostdin", "-y"] + arguments + [path])
    return path
  }

  /// A video of moving lines with a tone.
  func video(
    _ name: String = "source.mp4", size: String = "640x480", seconds: Double = 8, rate: String = "30",
    sound: Bool = true, _ options: [String] = []
  ) async throws -> String {
    let picture = ["-f", "lavfi", "-i", "testsrc=s=\(size):r=\(rate):d=\(seconds)"]
    let tone = sound ? ["-f", "lavfi", "-i", "sine=440:d=\(seconds)", "-c:a", "aac"] : []
    let coding = ["-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p"]
    return try await make(name, picture + tone + coding + options)
  }

  func save(_ bytes: some Sequence<UInt8>, _ name: String) throws -> String {
    let path = "\(folder)/\(name)"
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    return path
  }

  func load(_ path: String) throws -> [UInt8] { Array(try Data(contentsOf: URL(fileURLWithPath: path))) }

  /// The content of a file, by ffprobe without our restrictions.
  func probe(_ path: String) async throws -> Probed {
    let output = try await Command.run(
      ["ffprobe", "-v", "error", "-of", "json", "-show_format", "-show_streams", path])
    return try JSONDecoder().decode(Probed.self, from: Data(output.utf8))
  }

  /// Runs `media_files.py`.
  func python<Answer: Decodable>(_ arguments: String..., as type: Answer.Type) async throws -> Answer {
    let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("media_files.py")
    let output = try await Command.run([Python.path(), script.path] + arguments)
    return try JSONDecoder().decode(type, from: Data(output.utf8))
  }
}

/// The answer of ffprobe.
struct Probed: Decodable {
  struct Stream: Decodable {
    var codec_type: String
    var codec_name: String
    var width: Int?
    var height: Int?
    var sample_rate: String?
    var channels: Int?
    var pix_fmt: String?
  }
  struct Format: Decodable {
    var duration: String?
    var bit_rate: String?
    var tags: [String: String]?
  }
  var streams: [Stream]
  var format: Format

  var video: Stream? { streams.first { $0.codec_type == "video" } }
  var audio: Stream? { streams.first { $0.codec_type == "audio" } }
  var seconds: Double { format.duration.flatMap(Double.init) ?? 0 }
}

/// The error of a body; `nil` when there is none.
func mediaError(_ body: () async throws -> Void) async throws -> MediaFileError? {
  do {
    try await body()
    return nil
  } catch let error as MediaFileError { return error }
}
