/// The segments of one rendition in a media playlist (RFC 8216), which are ranges of one file.
struct HLSPlaylist: Equatable {
  struct Segment: Equatable {
    var seconds: Double
    var bytes: Int64
  }

  var targetSeconds = 0.0
  /// The size of what precedes the segments in their file.
  var headerBytes = 0
  var segments: [Segment] = []

  /// - Returns: `nil` unless it is a complete playlist with byte ranges.
  init?(_ text: String) {
    var seconds: Double?
    var isComplete = false
    for line in text.split(whereSeparator: \.isNewline) {
      func value(of tag: String) -> Substring? { line.hasPrefix("#\(tag):") ? line.dropFirst(tag.count + 2) : nil }
      if let value = value(of: "EXT-X-TARGETDURATION") {
        targetSeconds = Double(value) ?? 0
      } else if let value = value(of: "EXT-X-MAP"), let range = value.split(separator: "BYTERANGE=\"").last {
        headerBytes = range.split(separator: "@").first.flatMap { Int($0) } ?? 0
      } else if let value = value(of: "EXTINF") {
        seconds = value.split(separator: ",").first.flatMap { Double($0) }
      } else if let value = value(of: "EXT-X-BYTERANGE") {
        guard let length = seconds, let bytes = value.split(separator: "@").first.flatMap({ Int64($0) }) else {
          return nil
        }
        segments.append(Segment(seconds: length, bytes: bytes))
        seconds = nil
      } else if line == "#EXT-X-ENDLIST" {
        isComplete = true
      }
    }
    guard isComplete, !segments.isEmpty, targetSeconds > 0, headerBytes > 0 else { return nil }
  }

  var seconds: Double { segments.reduce(0) { $0 + $1.seconds } }

  /// Bits per second over the whole playlist.
  var averageBandwidth: Int { Self.rate(segments[...]) }

  /// The largest bit rate of any contiguous segments that last half to one and a half target durations (RFC 8216,
  /// 4.1), and of any single segment, so that it bounds what readers compute in either way.
  var peakBandwidth: Int {
    var peak = averageBandwidth
    for first in segments.indices {
      var length = 0.0
      for last in first..<segments.count {
        length += segments[last].seconds
        if last > first, length > 1.5 * targetSeconds { break }
        if last == first || length >= 0.5 * targetSeconds { peak = max(peak, Self.rate(segments[first...last])) }
      }
    }
    return peak
  }

  private static func rate(_ segments: ArraySlice<Segment>) -> Int {
    let (bytes, seconds) = segments.reduce((0, 0.0)) { ($0.0 + $1.bytes, $0.1 + $1.seconds) }
    return seconds > 0 ? Int((Double(bytes) * 8 / seconds).rounded(.up)) : 0
  }
}

/// The multivariant playlist, which names the renditions of a video.
struct HLSMaster {
  struct Variant {
    var rendition: Rendition
    var playlist: HLSPlaylist
    /// The codec of the picture, such as `avc1.640028`.
    var videoCodec: String
  }

  var variants: [Variant]
  var frameRate: FrameRate
  var hasAudio: Bool

  var text: String {
    variants.reduce("#EXTM3U\n#EXT-X-VERSION:7\n#EXT-X-INDEPENDENT-SEGMENTS\n") { text, variant in
      let codecs = [variant.videoCodec] + (hasAudio ? ["mp4a.40.2"] : [])
      return text + """
        #EXT-X-STREAM-INF:BANDWIDTH=\(variant.playlist.peakBandwidth),\
        AVERAGE-BANDWIDTH=\(variant.playlist.averageBandwidth),CODECS="\(codecs.joined(separator: ","))",\
        RESOLUTION=\(variant.rendition.width)x\(variant.rendition.height),FRAME-RATE=\(frameRate.decimal)
        \(variant.rendition.name).m3u8

        """
    }
  }
}

extension FrameRate {
  /// With three decimals.
  fileprivate var decimal: String {
    let thousandths = Int((value * 1000).rounded())
    let fraction = String(thousandths % 1000)
    return "\(thousandths / 1000)." + String(repeating: "0", count: 3 - fraction.count) + fraction
  }
}

/// The name of a codec in the attribute CODECS (RFC 6381).
enum CodecName {
  /// - Parameter header: The beginning of an MP4 file, with its box `avcC` (ISO/IEC 14496-15, 5.3.3.1).
  static func h264(in header: [UInt8]) -> String? {
    let mark = Array("avcC".utf8)
    guard let start = header.indices.first(where: { header[$0...].starts(with: mark) }), start + 8 <= header.count,
      header[start + 4] == 1
    else { return nil }
    let digits = Array("0123456789abcdef")
    let profile = header[(start + 5)..<(start + 8)].flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
    return "avc1." + String(profile)
  }
}
