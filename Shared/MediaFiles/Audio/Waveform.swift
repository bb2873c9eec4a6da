/// The smallest and largest samples of each piece of a recording, as BBC's audiowaveform stores them (JSON, version 2,
/// 8 bits): https://codeberg.org/chrisn/audiowaveform, `doc/DataFormat.md`.
public struct Waveform: Sendable, Equatable {
  /// 1 for the mean of all channels.
  public let channels: Int
  /// Samples per second of the recording.
  public let sampleRate: Int
  /// How many samples make one pair.
  public let samplesPerPixel: Int
  /// The minimum and the maximum of each channel, piece by piece.
  public internal(set) var peaks: [Int8]

  /// Pairs per channel.
  public var length: Int { peaks.count / (2 * channels) }

  /// The text in parts of about 64 KiB.
  ///
  /// - Parameter write: Receives the parts in their order.
  public func writeJSON(to write: ([UInt8]) throws -> Void) rethrows {
    var text = Array(
      """
      {"version":2,"channels":\(channels),"sample_rate":\(sampleRate),"samples_per_pixel":\(samplesPerPixel),\
      "bits":8,"length":\(length),"data":[
      """.utf8)
    for (index, peak) in peaks.enumerated() {
      if index > 0 { text.append(UInt8(ascii: ",")) }
      Self.append(peak, to: &text)
      if text.count >= 65_536 {
        try write(text)
        text.removeAll(keepingCapacity: true)
      }
    }
    text.append(contentsOf: "]}".utf8)
    try write(text)
  }

  private static func append(_ value: Int8, to text: inout [UInt8]) {
    if value < 0 { text.append(UInt8(ascii: "-")) }
    let digits = value.magnitude
    if digits >= 100 { text.append(UInt8(ascii: "0") + digits / 100) }
    if digits >= 10 { text.append(UInt8(ascii: "0") + digits / 10 % 10) }
    text.append(UInt8(ascii: "0") + digits % 10)
  }
}

/// Makes the waveforms of a recording from its samples, which arrive in chunks of any size.
public struct WaveformBuilder: Sendable {
  /// Samples per pixel of the waveforms, each a multiple of the one before.
  public static let zooms = [256, 1024, 4096]

  private let sourceChannels: Int
  private let channels: Int
  private let sampleRate: Int
  /// The peaks of the finest zoom; the others are made of it.
  private var peaks: [Int8] = []
  /// The extremes of the piece under way, per channel.
  private var low: [Int]
  private var high: [Int]
  private var samplesInPiece = 0
  /// The beginning of a frame whose rest is in the next chunk.
  private var rest: [UInt8] = []
  /// Samples per channel so far.
  public private(set) var frames: Int64 = 0

  /// - Parameters:
  ///   - channels: Of the samples.
  ///   - isMono: Whether the mean of the channels is taken, instead of each channel.
  public init(channels: Int, sampleRate: Int, isMono: Bool = true) {
    (sourceChannels, self.sampleRate) = (channels, sampleRate)
    self.channels = isMono ? 1 : channels
    low = Array(repeating: .max, count: self.channels)
    high = Array(repeating: .min, count: self.channels)
  }

  /// The duration by the samples, unlike a header's, which is wrong where the bit rate varies.
  public var milliseconds: Int64 { (frames * 1000 + Int64(sampleRate) / 2) / Int64(sampleRate) }

  /// Adds 16-bit little-endian samples, the channels alternating.
  public mutating func append(_ chunk: some Collection<UInt8>) {
    rest.append(contentsOf: chunk)
    let frameBytes = 2 * sourceChannels
    let complete = rest.count / frameBytes * frameBytes
    rest.withUnsafeBytes { bytes in
      for start in stride(from: 0, to: complete, by: frameBytes) {
        var sum = 0
        for channel in 0..<sourceChannels {
          let offset = start + 2 * channel
          let sample = Int(Int16(bitPattern: UInt16(bytes[offset]) | UInt16(bytes[offset + 1]) << 8))
          if channels == 1 { sum += sample } else { include(sample, channel) }
        }
        if channels == 1 { include(sum / sourceChannels, 0) }
        samplesInPiece += 1
        if samplesInPiece == Self.zooms[0] { endPiece() }
      }
    }
    frames += Int64(complete / frameBytes)
    rest.removeFirst(complete)
  }

  /// The waveforms, the finest first; the last piece may have fewer samples.
  public mutating func finish() -> [Waveform] {
    if samplesInPiece > 0 { endPiece() }
    var waveforms = [waveform(Self.zooms[0], peaks)]
    for zoom in Self.zooms.dropFirst() {
      guard let finer = waveforms.last else { break }
      waveforms.append(waveform(zoom, Self.joined(finer.peaks, by: zoom / finer.samplesPerPixel, channels)))
    }
    return waveforms
  }

  private func waveform(_ zoom: Int, _ peaks: [Int8]) -> Waveform {
    Waveform(channels: channels, sampleRate: sampleRate, samplesPerPixel: zoom, peaks: peaks)
  }

  private mutating func include(_ sample: Int, _ channel: Int) {
    if sample < low[channel] { low[channel] = sample }
    if sample > high[channel] { high[channel] = sample }
  }

  private mutating func endPiece() {
    for channel in 0..<channels {
      // Rounded towards zero, as audiowaveform does.
      peaks.append(Int8(low[channel] / 256))
      peaks.append(Int8(high[channel] / 256))
      (low[channel], high[channel]) = (.max, .min)
    }
    samplesInPiece = 0
  }

  private static func joined(_ peaks: [Int8], by count: Int, _ channels: Int) -> [Int8] {
    let width = 2 * channels
    var joined: [Int8] = []
    joined.reserveCapacity(peaks.count / count + width)
    for start in stride(from: 0, to: peaks.count, by: width * count) {
      for channel in 0..<channels {
        let offsets = stride(from: start + 2 * channel, to: min(start + width * count, peaks.count), by: width)
        joined.append(offsets.lazy.map { peaks[$0] }.min() ?? 0)
        joined.append(offsets.lazy.map { peaks[$0 + 1] }.max() ?? 0)
      }
    }
    return joined
  }
}
