extension MediaConverter {
  /// The picture that stands for a video, as JPEG of at most 720p, from a tenth of its length.
  public func poster(of path: String, _ probe: MediaProbe, in folder: String) async throws -> String {
    guard let video = probe.video else { throw MediaFileError.invalidContent }
    let size = Rendition(video, shortSide: min(720, video.shortSide))
    let target = folder + "/poster.jpg"
    let start = min(Double(probe.milliseconds ?? 0) / 10_000, 30)
    for seconds in start > 0 ? [start, 0] : [0] {
      // An older attempt's file would pass for this one's.
      try await Self.remove(target)
      var arguments = Self.input(path, before: ["-ss", "\(seconds)"])
      arguments += ["-map", "0:\(video.stream)", "-frames:v", "1", "-update", "1", "-q:v", "3"]
      arguments += ["-vf", "scale=\(size.width):\(size.height),setsar=1,format=yuvj420p"]
      try await convert(arguments + Self.plain + [target], in: folder, seconds: 60)
      if try await Self.bytes(of: target) > 0 { return target }
    }
    throw MediaFileError.invalidContent
  }

  /// Renditions for HTTP Live Streaming: fragmented MP4 of H.264 and AAC, segments of 6 s that begin at the same times
  /// in every rendition, each rendition in one file with byte ranges.
  ///
  /// - Returns: The playlists and files, and the length of the largest rendition.
  /// - Throws: ``MediaFileError``: `invalidContent` also for a truncated file.
  public func renditions(
    of path: String, _ probe: MediaProbe, in folder: String, progress: Progress? = nil
  ) async throws -> HLSRenditions {
    guard let video = probe.video else { throw MediaFileError.invalidContent }
    let ladder = Rendition.ladder(for: video)
    let rate = Self.frameRate(of: video)
    let seconds = probe.milliseconds.map { Double($0) / 1000 }
    let pixels = Self.pixels(of: video, ladder, seconds: seconds ?? Double(limits.videoSeconds))
    guard pixels <= Double(limits.videoPixels) else { throw MediaFileError.tooLarge }
    try await convert(
      Self.hlsArguments(path, probe, video, ladder, rate, limits), in: folder, seconds: seconds,
      work: pixels / Self.pixelsPerSecond,
      fileBytes: 2 * (ladder.map { Self.bytes(of: $0, self.seconds(of: probe)) }.max() ?? 0), progress: progress)
    var variants: [HLSMaster.Variant] = []
    var files: [DerivedFile] = []
    for rendition in ladder {
      let (list, content) = ("\(folder)/\(rendition.name).m3u8", "\(folder)/\(rendition.name).mp4")
      guard let playlist = HLSPlaylist(try await Self.text(of: list)),
        let codec = CodecName.h264(in: try await Self.beginning(of: content, bytes: playlist.headerBytes))
      else { throw MediaFileError.invalidContent }
      variants.append(HLSMaster.Variant(rendition: rendition, playlist: playlist, videoCodec: codec))
      files += [
        DerivedFile(name: "hls/\(rendition.name).m3u8", path: list, contentType: "application/vnd.apple.mpegurl"),
        DerivedFile(name: "hls/\(rendition.name).mp4", path: content, contentType: "video/mp4"),
      ]
    }
    guard let length = variants.last?.playlist.seconds else { throw MediaFileError.invalidContent }
    guard length <= Double(limits.videoSeconds) else { throw MediaFileError.tooLarge }
    try requireComplete(probe, Int64(length * 1000))
    let master = HLSMaster(variants: variants, frameRate: rate, hasAudio: probe.audio != nil)
    let masterPath = folder + "/master.m3u8"
    try await Self.write(Array(master.text.utf8), to: masterPath)
    files.append(
      DerivedFile(name: "hls/master.m3u8", path: masterPath, contentType: "application/vnd.apple.mpegurl"))
    return HLSRenditions(
      files: files, largest: "\(folder)/\(ladder.last?.name ?? "").mp4", milliseconds: Int64((length * 1000).rounded()))
  }

  /// An MP4 file that plays while it is loaded: its index is before its content. What browsers play already is only
  /// repackaged, anything else is taken from the largest rendition.
  public func mp4(
    of path: String, _ probe: MediaProbe, _ renditions: HLSRenditions, in folder: String
  ) async throws -> String {
    let target = folder + "/video.mp4"
    let plays = Self.plays(probe)
    let own = [probe.video?.stream, probe.audio?.stream].compactMap { $0 }
    let streams = plays ? own.map { "0:\($0)" } : ["0:v:0", "0:a:0?"]
    let source = plays ? path : renditions.largest
    var arguments = Self.input(source)
    for stream in streams { arguments += ["-map", stream] }
    arguments += ["-c", "copy"] + Self.plain + ["-movflags", "+faststart", "-f", "mp4", target]
    try await convert(
      arguments, in: folder, seconds: Double(renditions.milliseconds) / 1000,
      fileBytes: 2 * (try await Self.bytes(of: source)) + Self.smallBytes)
    return target
  }

  /// Whether browsers and phones play the streams as they are.
  private static func plays(_ probe: MediaProbe) -> Bool {
    guard let video = probe.video, video.codec == "h264", ["yuv420p", "yuvj420p"].contains(video.pixelFormat) else {
      return false
    }
    return (probe.audio.map { $0.codec == "aac" && $0.channels <= 6 } ?? true) && probe.listsSamples
  }

  /// Decoded and encoded by a slow machine; a usual one does many times as much.
  private static let pixelsPerSecond = 100e6

  /// A constant rate, because segments of a varying one would not begin at the same times. A low one stays low: what
  /// the file has few of is not multiplied.
  static func frameRate(of video: MediaProbe.Video) -> FrameRate {
    guard let rate = video.frameRate else { return FrameRate(30) }
    return rate.value > 60 ? FrameRate(60) : rate.value < 0.1 ? FrameRate(1, 10) : rate
  }

  /// How many pixels are decoded and encoded.
  static func pixels(of video: MediaProbe.Video, _ ladder: [Rendition], seconds: Double) -> Double {
    let output = ladder.reduce(0) { $0 + $1.width * $1.height }
    let decoded = Double(video.width * video.height) * (video.frameRate?.value ?? 60)
    return (decoded + Double(output) * frameRate(of: video).value) * seconds
  }

  private static func hlsArguments(
    _ path: String, _ probe: MediaProbe, _ video: MediaProbe.Video, _ ladder: [Rendition], _ rate: FrameRate,
    _ limits: MediaLimits
  ) -> [String] {
    // A key frame every two seconds, of which three make a segment.
    let group = "\(max(1, Int((2 * rate.value).rounded())))"
    let labels = ladder.indices.map { "[s\($0)]" }.joined()
    var graph = "[0:\(video.stream)]fps=\(rate),split=\(ladder.count)\(labels)"
    for (number, size) in ladder.enumerated() {
      graph += ";[s\(number)]scale=\(size.width):\(size.height),setsar=1,format=yuv420p[v\(number)]"
    }
    var arguments = input(path)
    arguments += ["-filter_complex", graph]
    for (number, rendition) in ladder.enumerated() {
      arguments += ["-map", "[v\(number)]"]
      if let audio = probe.audio { arguments += ["-map", "0:\(audio.stream)"] }
      arguments += encoding(rendition, keyFrameEvery: group)
      arguments += plain
      arguments += ["-t", "\(limits.videoSeconds + 1)"]
      arguments += [
        "-f", "hls", "-hls_time", "6", "-hls_playlist_type", "vod", "-hls_segment_type", "fmp4",
        "-hls_flags", "single_file+independent_segments", "-hls_segment_filename", "\(rendition.name).mp4",
        "\(rendition.name).m3u8",
      ]
    }
    return arguments
  }

  private static func encoding(_ rendition: Rendition, keyFrameEvery group: String) -> [String] {
    [
      "-c:v", "libx264", "-preset", "veryfast", "-profile:v", "high", "-crf", "23", "-threads", "2",
      "-maxrate", "\(rendition.bitsPerSecond)", "-bufsize", "\(2 * rendition.bitsPerSecond)",
      "-g", group, "-keyint_min", group, "-sc_threshold", "0",
      "-c:a", "aac", "-b:a", "\(rendition.audioBitsPerSecond)", "-ac", "2", "-ar", "48000",
    ]
  }
}

/// A video in several sizes.
public struct HLSRenditions: Sendable {
  public var files: [DerivedFile]
  /// The path of the largest one.
  public var largest: String
  public var milliseconds: Int64
}
