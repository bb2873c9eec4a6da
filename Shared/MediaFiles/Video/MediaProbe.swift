/// The content of a recording or a video, as `ffprobe` finds it.
public struct MediaProbe: Sendable, Equatable {
  public enum Kind: Sendable, Equatable {
    case audio, video
  }

  public struct Video: Sendable, Equatable {
    /// The name of the codec as ffmpeg has it, such as `h264`.
    public var codec: String
    /// Such as `yuv420p`.
    public var pixelFormat: String
    /// Pixels as they are shown: after rotation, and with square pixels.
    public var width: Int
    public var height: Int
    /// Degrees by which players turn the stored picture clockwise: 0, 90, 180 or 270.
    public var rotation: Int
    /// The average; `nil` when the file does not state it.
    public var frameRate: FrameRate?
    /// Its number among all streams of the file.
    public var stream: Int

    /// The shorter side, by which renditions are named.
    public var shortSide: Int { min(width, height) }
  }

  public struct Audio: Sendable, Equatable {
    public var codec: String
    /// Samples per second.
    public var sampleRate: Int
    public var channels: Int
    public var stream: Int
  }

  public var kind: Kind
  /// The names of the container as ffmpeg has them, such as `mov,mp4,m4a,3gp,3g2,mj2`.
  public var container: String
  /// The duration that the file claims; exact only where every sample is listed.
  public var milliseconds: Int64?
  public var video: Video?
  public var audio: Audio?

  /// Whether the container lists all its samples at one place, so that a shorter content is a truncated file.
  public var listsSamples: Bool { container.split(separator: ",").contains("mp4") }
}

/// Frames per second as a fraction, such as 30000/1001.
public struct FrameRate: Sendable, Equatable, CustomStringConvertible {
  public var numerator: Int
  public var denominator: Int

  public init(_ numerator: Int, _ denominator: Int = 1) {
    (self.numerator, self.denominator) = (numerator, denominator)
  }

  /// - Parameter text: Such as `30000/1001`.
  /// - Returns: `nil` for what is no positive fraction; ffprobe writes `0/0` for an unknown one.
  init?(_ text: String) {
    let parts = text.split(separator: "/").compactMap { Int($0) }
    guard parts.count == 2, parts[0] > 0, parts[1] > 0 else { return nil }
    self.init(parts[0], parts[1])
  }

  public var value: Double { Double(numerator) / Double(denominator) }
  public var description: String { "\(numerator)/\(denominator)" }
}

/// How long and how large a recording or video may be.
public struct MediaLimits: Sendable {
  public var audioSeconds: Int
  public var videoSeconds: Int
  /// The pixels of one frame.
  public var pixels: Int
  /// The pixels of all frames of a video together, decoded and encoded: about 4 hours in 1080p at 30 frames per second.
  public var videoPixels: Int
  public var channels: Int
  /// Samples per second.
  public var sampleRate = 192_000

  public init(
    audioSeconds: Int = 4 * 3600, videoSeconds: Int = 4 * 3600, pixels: Int = 7680 * 4320,
    videoPixels: Int = 2_500_000_000_000, channels: Int = 16
  ) {
    (self.audioSeconds, self.videoSeconds) = (audioSeconds, videoSeconds)
    (self.pixels, self.videoPixels, self.channels) = (pixels, videoPixels, channels)
  }

  public func seconds(of kind: MediaProbe.Kind) -> Int {
    switch kind {
    case .audio: audioSeconds
    case .video: videoSeconds
    }
  }
}
