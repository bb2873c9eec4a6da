import SystemPackage

/// Makes of a recording or a video what apps play: files in, files out.
public struct MediaConverter: Sendable {
  /// Receives how much of a step is done, from 0 to 1.
  public typealias Progress = @Sendable (Double) async throws -> Void

  let tools: ToolRunner
  let limits: MediaLimits
  /// How long a conversion may stand still before it counts as hanging.
  let stall: Duration

  public init(_ tools: ToolRunner, limits: MediaLimits = MediaLimits(), stall: Duration = .seconds(60)) {
    (self.tools, self.limits, self.stall) = (tools, limits, stall)
  }

  /// Finds out what a file contains.
  ///
  /// - Parameter folder: For temporary files.
  /// - Throws: ``MediaFileError``: `invalidContent` unless it is a recording or a video that can be decoded.
  public func probe(_ path: String, in folder: String) async throws -> MediaProbe {
    var bounds = ToolLimits(time: min(.seconds(300), stall), processorSeconds: 60)
    bounds.outputBytes = 4 << 20
    let options = ["-v", "error", "-of", "json", "-show_format", "-show_streams"]
    let output: [UInt8]
    do {
      output = try await tools.run(
        .ffprobe, options + SupportedMedia.probeOptions + [path], in: folder, limits: bounds)
    } catch MediaFileError.failed {
      throw MediaFileError.invalidContent
    }
    return try MediaProbe(output: output, limits: limits)
  }

  // MARK: runs

  /// The arguments with which every run of ffmpeg begins.
  static func input(_ path: String, before options: [String] = []) -> [String] {
    ["-v", "error", "-nostdin", "-y"] + options + SupportedMedia.inputOptions + ["-i", path]
  }

  /// Nothing of the original's titles, places and devices, and no trace of the encoder.
  static let plain = ["-map_metadata", "-1", "-map_chapters", "-1", "-bitexact"]

  /// Runs ffmpeg; ends it when it stands still.
  ///
  /// - Parameters:
  ///   - seconds: How long the content is; what is unknown counts as the longest allowed one.
  ///   - work: How many seconds of work it may take; by default, one in ten seconds of content.
  ///   - fileBytes: How large each file may become.
  func convert(
    _ arguments: [String], in folder: String, seconds: Double?, work: Double? = nil, fileBytes: Int64 = Self.smallBytes,
    progress: Progress? = nil
  ) async throws {
    let work = work ?? 0.1 * (seconds ?? Double(max(limits.audioSeconds, limits.videoSeconds)))
    let total = seconds
    let reader = ProgressReader()
    let report = ["-progress", "pipe:1", "-stats_period", "1"]
    try await guarded(work, fileBytes: fileBytes) { bounds, watch in
      try await tools.run(.ffmpeg, report + arguments, in: folder, limits: bounds) { bytes in
        await watch.touch()
        guard let done = await reader.read(bytes), let total, total > 0 else { return }
        try await progress?(min(1, done / total))
      }
    }
  }

  /// Runs a tool within the time that suits the given seconds of work.
  func guarded(
    _ work: Double, fileBytes: Int64 = Self.smallBytes,
    _ body: @escaping @Sendable (ToolLimits, StallWatch) async throws -> Void
  ) async throws {
    let work = 120 + Int(work)
    let bounds = ToolLimits(
      time: .seconds(2 * work), processorSeconds: 4 * work, memory: 6 << 30, fileBytes: fileBytes)
    let watch = StallWatch()
    do {
      try await withThrowingTaskGroup(of: Bool.self) { group in
        group.addTask {
          try await body(bounds, watch)
          return true
        }
        group.addTask {
          try await watch.wait(for: stall)
          return false
        }
        defer { group.cancelAll() }
        guard try await group.next() == true else { throw MediaFileError.tooLarge }
      }
    } catch MediaFileError.failed(let tool, let text) {
      throw text.lowercased().contains("invalid data found") ? .invalidContent : MediaFileError.failed(tool, text)
    }
  }

  /// Refuses a file of which the end is missing.
  ///
  /// - Parameter milliseconds: What was decoded.
  func requireComplete(_ probe: MediaProbe, _ milliseconds: Int64) throws(MediaFileError) {
    guard probe.listsSamples, let claimed = probe.milliseconds else { return }
    guard milliseconds >= claimed - max(1000, claimed / 50) else { throw .invalidContent }
  }
}

/// When a run last gave a sign of life.
actor StallWatch {
  private var last = ContinuousClock.now

  func touch() { last = .now }

  /// Returns when there was no sign for a while.
  func wait(for pause: Duration) async throws {
    while true {
      let rest = pause - (.now - last)
      if rest <= .zero { return }
      try await Task.sleep(for: rest)
    }
  }
}

/// Reads what ffmpeg prints with `-progress`.
actor ProgressReader {
  private var rest: [UInt8] = []

  /// - Returns: The seconds of content that are done, when the output reports them.
  func read(_ bytes: [UInt8]) -> Double? {
    rest += bytes
    var seconds: Double?
    while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
      let line = String(decoding: rest[..<end], as: UTF8.self)
      rest.removeFirst(end + 1)
      if line.hasPrefix("out_time_us="), let done = Double(line.dropFirst(12)) { seconds = max(0, done / 1e6) }
    }
    // A line is short; anything else is no progress.
    if rest.count > 4096 { rest = [] }
    return seconds
  }
}

/// A file that was made of another one.
public struct DerivedFile: Sendable {
  /// Under which it belongs to the media item, such as `hls/720p.mp4`.
  public var name: String
  public var path: String
  public var contentType: String

  public init(name: String, path: String, contentType: String) {
    (self.name, self.path, self.contentType) = (name, path, contentType)
  }
}
