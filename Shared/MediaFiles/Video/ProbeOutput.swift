import Foundation

/// The JSON that `ffprobe -show_format -show_streams` prints.
struct ProbeOutput: Decodable {
  struct Stream: Decodable {
    var index: Int
    var codec_type: String?
    var codec_name: String?
    var pix_fmt: String?
    var width: Int?
    var height: Int?
    var sample_aspect_ratio: String?
    var avg_frame_rate: String?
    var sample_rate: String?
    var channels: Int?
    var disposition: [String: Int]?
    var side_data_list: [SideData]?
  }

  struct SideData: Decodable {
    /// Degrees counterclockwise, from -180 to 180.
    var rotation: Double?
  }

  struct Format: Decodable {
    var format_name: String?
    /// In seconds.
    var duration: String?
  }

  var streams: [Stream]?
  var format: Format?
}

extension MediaProbe {
  /// - Parameter output: The JSON that ffprobe printed.
  /// - Throws: `invalidContent` unless it is a recording or a video, `tooLarge` beyond the limits.
  public init(output: [UInt8], limits: MediaLimits = MediaLimits()) throws(MediaFileError) {
    guard let found = try? JSONDecoder().decode(ProbeOutput.self, from: Data(output)),
      let container = found.format?.format_name
    else { throw .invalidContent }
    let streams = found.streams ?? []
    video = try streams.lazy.filter { $0.codec_type == "video" && !$0.isCover }.first.map {
      (stream) throws(MediaFileError) in
      try Video(stream, limits)
    }
    // The first of several streams that can be decoded.
    let sounds = streams.filter { $0.codec_type == "audio" }
    let sound = sounds.first { SupportedMedia.audioCodecs.contains($0.codec_name ?? "") } ?? sounds.first
    audio = try sound.map { (stream) throws(MediaFileError) in try Audio(stream, limits) }
    guard video != nil || audio != nil else { throw .invalidContent }
    (kind, self.container) = (video == nil ? .audio : .video, container)
    if let seconds = found.format?.duration.flatMap(Double.init), seconds.isFinite, seconds > 0 {
      guard seconds <= Double(limits.seconds(of: kind)) else { throw .tooLarge }
      milliseconds = Int64((seconds * 1000).rounded())
    }
  }
}

extension ProbeOutput.Stream {
  /// Pictures inside of recordings are no videos.
  fileprivate var isCover: Bool { disposition?["attached_pic"] == 1 || disposition?["still_image"] == 1 }
}

extension MediaProbe.Video {
  fileprivate init(_ found: ProbeOutput.Stream, _ limits: MediaLimits) throws(MediaFileError) {
    guard let codec = found.codec_name, SupportedMedia.videoCodecs.contains(codec), let pixelFormat = found.pix_fmt,
      let width = found.width, let height = found.height, width > 0, height > 0
    else { throw .invalidContent }
    guard width <= limits.pixels, height <= limits.pixels / width else { throw .tooLarge }
    (self.codec, self.pixelFormat, stream) = (codec, pixelFormat, found.index)
    frameRate = found.avg_frame_rate.flatMap { FrameRate($0) }
    let counterclockwise = found.side_data_list?.lazy.compactMap(\.rotation).first ?? 0
    guard counterclockwise.isFinite, abs(counterclockwise) <= 360 else { throw .invalidContent }
    rotation = (360 - Int((counterclockwise / 90).rounded()) * 90 + 360) % 360
    let shown = Self.squared(width, height, found.sample_aspect_ratio)
    guard shown.width * shown.height <= limits.pixels else { throw .tooLarge }
    (self.width, self.height) = rotation % 180 == 0 ? shown : (shown.height, shown.width)
  }

  /// The size with square pixels, of which one side is as stored: nothing is enlarged.
  private static func squared(_ width: Int, _ height: Int, _ ratio: String?) -> (width: Int, height: Int) {
    let parts = ratio?.split(separator: ":").compactMap { Double($0) } ?? []
    guard parts.count == 2, parts[0] > 0, parts[1] > 0, parts[0] != parts[1] else { return (width, height) }
    let pixel = parts[0] / parts[1]
    guard (0.1...10).contains(pixel) else { return (width, height) }
    if pixel > 1 { return (width, max(1, Int((Double(height) / pixel).rounded()))) }
    return (max(1, Int((Double(width) * pixel).rounded())), height)
  }
}

extension MediaProbe.Audio {
  fileprivate init(_ found: ProbeOutput.Stream, _ limits: MediaLimits) throws(MediaFileError) {
    guard let codec = found.codec_name, SupportedMedia.audioCodecs.contains(codec),
      let rate = found.sample_rate.flatMap({ Int($0) }), let channels = found.channels, rate > 0, channels > 0
    else { throw .invalidContent }
    guard rate <= limits.sampleRate, channels <= limits.channels else { throw .tooLarge }
    (self.codec, sampleRate, self.channels, stream) = (codec, rate, channels, found.index)
  }
}
