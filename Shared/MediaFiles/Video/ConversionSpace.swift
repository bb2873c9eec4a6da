/// How much a conversion may write, by which to see beforehand whether the disk has room for it.
extension MediaConverter {
  /// At most so many bytes are made of a video.
  ///
  /// - Parameter path: Of the file.
  public func space(forVideo path: String, _ probe: MediaProbe) async throws -> Int64 {
    guard let video = probe.video else { throw MediaFileError.invalidContent }
    let sizes = Rendition.ladder(for: video).map { Self.bytes(of: $0, seconds(of: probe)) }
    // The MP4 is the original in another container, or the largest rendition.
    return sizes.reduce(0, +) + max(try await Self.bytes(of: path), sizes.last ?? 0)
  }

  /// At most so many bytes are made of a recording: an MP3 at 320 kbit/s, and waveforms.
  public func space(forRecording probe: MediaProbe) -> Int64 {
    Self.bytes(65_000 * seconds(of: probe))
  }

  /// An unknown length counts as the longest allowed one.
  func seconds(of probe: MediaProbe) -> Double {
    probe.milliseconds.map { Double($0) / 1000 } ?? Double(limits.seconds(of: probe.kind))
  }

  /// The bit rate of a rendition is an upper limit, besides a buffer and the container.
  static func bytes(of rendition: Rendition, _ seconds: Double) -> Int64 {
    bytes(Double(rendition.bitsPerSecond + rendition.audioBitsPerSecond) / 8 * 1.1 * seconds)
  }

  private static func bytes(_ content: Double) -> Int64 { smallBytes + Int64(min(max(0, content), 1e15)) }

  /// More than a picture, a preview, or what containers add.
  static let smallBytes: Int64 = 16 << 20
}
