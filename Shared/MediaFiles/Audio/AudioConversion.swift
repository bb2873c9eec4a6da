import SystemPackage

/// The sound that is repeated in a preview.
public enum PreviewTag: Sendable, Equatable {
  /// Two tones.
  case tones
  /// A recording, such as a spoken name, of which at most 5 seconds are used.
  case recording(path: String, seconds: Double)

  var seconds: Double {
    switch self {
    case .tones: 0.6
    case .recording(_, let seconds): min(5, max(0.1, seconds))
    }
  }
}

extension MediaConverter {
  /// Decodes a recording and makes its waveforms, of the mean of its channels. Memory is bounded by the finest one.
  ///
  /// - Returns: The waveforms, and the length by the samples.
  /// - Throws: ``MediaFileError``: `invalidContent` when nothing can be decoded or the end is missing, `tooLarge`.
  public func waveforms(
    of path: String, _ probe: MediaProbe, in folder: String, progress: Progress? = nil
  ) async throws -> (waveforms: [Waveform], milliseconds: Int64) {
    guard let audio = probe.audio else { throw MediaFileError.invalidContent }
    let decoder = SampleReader(audio, maxSeconds: limits.audioSeconds, expected: probe.milliseconds)
    let arguments =
      Self.input(path) + [
        "-map", "0:\(audio.stream)", "-c:a", "pcm_s16le", "-ac", "\(audio.channels)", "-ar", "\(audio.sampleRate)",
        "-f", "s16le", "pipe:1",
      ]
    let seconds = probe.milliseconds.map { Double($0) / 1000 } ?? Double(limits.audioSeconds)
    try await guarded(0.1 * seconds) { bounds, watch in
      try await tools.run(.ffmpeg, arguments, in: folder, limits: bounds) { bytes in
        await watch.touch()
        let done = try await decoder.append(bytes)
        try await progress?(done)
      }
    }
    let (waveforms, milliseconds) = await decoder.finish()
    guard milliseconds > 0 else { throw MediaFileError.invalidContent }
    try requireComplete(probe, milliseconds)
    return (waveforms, milliseconds)
  }

  /// Writes a waveform to `waveform-<samples per pixel>.json`.
  public func write(_ waveform: Waveform, in folder: String) throws -> DerivedFile {
    let name = "waveform-\(waveform.samplesPerPixel).json"
    let path = "\(folder)/\(name)"
    let file = try FileDescriptor.open(
      FilePath(path), .writeOnly, options: [.create, .truncate], permissions: .ownerReadWrite)
    try file.closeAfter { try waveform.writeJSON { _ = try file.writeAll($0) } }
    return DerivedFile(name: name, path: path, contentType: "application/json")
  }

  /// The beginning of a recording, in mono and at 64 kbit/s, over which a sound is repeated: it shows what is for sale
  /// and cannot stand in for it. The recording is quiet below the sound, so that the sound cannot be subtracted.
  ///
  /// - Parameter milliseconds: The length of the recording.
  public func preview(
    of path: String, _ probe: MediaProbe, milliseconds: Int64, tag: PreviewTag = .tones, in folder: String
  ) async throws -> String {
    guard let audio = probe.audio else { throw MediaFileError.invalidContent }
    let target = folder + "/preview.mp3"
    let whole = Double(milliseconds) / 1000
    // A short recording gives a part, too; the sound is heard at least twice.
    let length = min(90, max(0.5, whole * 0.8))
    let period = max(tag.seconds + 0.2, min(8, length / 2))
    var inputs = Self.input(path, before: ["-t", "\(length)"])
    var sound = "sine=f=880:r=32000:d=0.3[a];sine=f=660:r=32000:d=0.3[b];[a][b]concat=n=2:v=0:a=1,"
    if case .recording(let file, let seconds) = tag {
      inputs += SupportedMedia.inputOptions + ["-i", file]
      sound = "[1:a:0]atrim=0:\(min(5, seconds)),"
    }
    let graph = """
      \(sound)aresample=32000,aformat=sample_fmts=fltp:channel_layouts=mono,apad=whole_dur=\(period),\
      aloop=loop=-1:size=\(Int((period * 32000).rounded()))[tag];\
      [0:\(audio.stream)]aresample=32000,aformat=sample_fmts=fltp:channel_layouts=mono,asetpts=N/SR/TB,\
      volume='if(lt(mod(t,\(period)),\(tag.seconds)),0.2,0.9)':eval=frame[music];\
      [music][tag]amix=inputs=2:duration=first:normalize=0,alimiter=limit=0.95[out]
      """
    inputs += ["-filter_complex", graph, "-map", "[out]", "-c:a", "libmp3lame", "-b:a", "64k", "-t", "\(length)"]
    try await convert(inputs + Self.plain + ["-f", "mp3", target], in: folder, seconds: length)
    guard try await Self.bytes(of: target) > 0 else { throw MediaFileError.invalidContent }
    return target
  }

  /// The bit rates of MPEG-1 layer III, in kbit/s.
  private static let bitRates = [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320]

  /// The bit rate in kbit/s that suits a recording: a file of few bytes does not become one of many.
  static func bitRate(bytes: Int64, milliseconds: Int64?) -> Int {
    guard let milliseconds, milliseconds > 0 else { return 320 }
    // Twice its own one, because other formats need less for the same quality.
    let wanted = 2 * Double(bytes) * 8 / Double(milliseconds)
    return bitRates.first { Double($0) >= wanted } ?? 320
  }

  /// The whole recording as MP3 at up to 320 kbit/s, for licenses that grant one.
  public func mp3(of path: String, _ probe: MediaProbe, in folder: String, progress: Progress? = nil) async throws
    -> String
  {
    guard let audio = probe.audio else { throw MediaFileError.invalidContent }
    let target = folder + "/audio.mp3"
    let rate = Self.bitRate(bytes: try await Self.bytes(of: path), milliseconds: probe.milliseconds)
    var arguments = Self.input(path)
    arguments += ["-map", "0:\(audio.stream)", "-c:a", "libmp3lame", "-b:a", "\(rate)k"]
    if audio.channels > 2 { arguments += ["-ac", "2"] }
    arguments += ["-t", "\(limits.audioSeconds + 1)"] + Self.plain + ["-f", "mp3", target]
    let seconds = probe.milliseconds.map { Double($0) / 1000 }
    try await convert(
      arguments, in: folder, seconds: seconds, fileBytes: 2 * space(forRecording: probe), progress: progress)
    guard try await Self.bytes(of: target) > 0 else { throw MediaFileError.invalidContent }
    return target
  }
}

/// Takes the samples of a recording as they are decoded.
private actor SampleReader {
  private var builder: WaveformBuilder
  private let maxMilliseconds: Int64
  private let expected: Int64?

  init(_ audio: MediaProbe.Audio, maxSeconds: Int, expected: Int64?) {
    builder = WaveformBuilder(channels: audio.channels, sampleRate: audio.sampleRate)
    (maxMilliseconds, self.expected) = (Int64(maxSeconds) * 1000, expected)
  }

  /// - Returns: How much is done.
  func append(_ bytes: [UInt8]) throws -> Double {
    builder.append(bytes)
    guard builder.milliseconds <= maxMilliseconds else { throw MediaFileError.tooLarge }
    guard let expected, expected > 0 else { return 0 }
    return min(1, Double(builder.milliseconds) / Double(expected))
  }

  func finish() -> ([Waveform], Int64) {
    let waveforms = builder.finish()
    return (waveforms, builder.milliseconds)
  }
}
