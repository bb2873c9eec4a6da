/// The first bytes of a file, read as far as they go.
struct FileHead {
  let bytes: [UInt8]
  /// The length of the whole file.
  let length: Int64

  func byte(_ offset: Int) -> UInt8? { bytes.indices.contains(offset) ? bytes[offset] : nil }

  func has(_ pattern: [UInt8], at offset: Int = 0) -> Bool {
    offset >= 0 && offset + pattern.count <= bytes.count && bytes[offset...].starts(with: pattern)
  }

  func has(_ text: StaticString, at offset: Int = 0) -> Bool {
    text.withUTF8Buffer { has(Array($0), at: offset) }
  }

  func hasAny(_ texts: [StaticString], at offset: Int = 0) -> Bool { texts.contains { has($0, at: offset) } }

  func little16(_ offset: Int) -> Int? {
    guard let low = byte(offset), let high = byte(offset + 1) else { return nil }
    return Int(high) << 8 | Int(low)
  }

  func big32(_ offset: Int) -> Int64? {
    guard offset >= 0, offset + 4 <= bytes.count else { return nil }
    return bytes[offset..<offset + 4].reduce(0) { $0 << 8 | Int64($1) }
  }

  /// The bytes of a range that exist, one character each.
  func text(_ range: Range<Int>) -> String {
    String(decoding: bytes[range.clamped(to: bytes.indices)].map { $0 < 0x80 ? $0 : 0x3F }, as: UTF8.self)
  }

  /// Whether the length in a RIFF header is not beyond the end of the file; writers of streams leave it open.
  var riffFits: Bool {
    guard bytes.count >= 12 else { return false }
    let size = bytes[4..<8].reversed().reduce(Int64(0)) { $0 << 8 | Int64($1) }
    return size == 0xFFFF_FFFF || size == 0 || size + 8 <= length
  }

  // MARK: ISO base media (ISO 14496-12 §4.2)

  /// Whether a box of a plausible type begins here.
  func isBox(at offset: Int) -> Bool {
    guard let size = big32(offset), size == 0 || size == 1 || size >= 8 else { return false }
    let name = text(offset + 4..<offset + 8)
    return name.utf8.count == 4 && name.utf8.allSatisfy { (0x20...0x7E).contains($0) && $0 != 0x3F && $0 != 0x3C }
  }

  /// The major brand, then the compatible ones.
  func brands(until end: Int) -> [String] {
    stride(from: 8, to: end, by: 4).filter { $0 != 12 }.map { text($0..<$0 + 4) }
  }

  // MARK: MPEG audio

  /// The media type of a recording whose first two frames follow each other, after an ID3 tag if there is one.
  var mpegAudio: String? {
    guard has("ID3") else { return Self.type(of: frames(at: 0)) }
    // Four bytes of seven bits each (ID3v2.4 §3.1), without the header itself.
    guard bytes.count >= 10, bytes[6..<10].allSatisfy({ $0 < 0x80 }), let version = byte(3), (2...4).contains(version)
    else { return nil }
    let start = 10 + bytes[6..<10].reduce(0) { $0 << 7 | Int($1) }
    guard Int64(start) < length - 4 else { return nil }
    // A cover can be larger than what is looked at; what follows is then left to the prober.
    guard start + 8 < bytes.count else { return "audio/mpeg" }
    // Some writers leave zeros behind the tag.
    let frame = bytes[start...].firstIndex { $0 != 0 } ?? start
    return frame - start <= 4096 ? Self.type(of: frames(at: frame)) : nil
  }

  private enum Stream { case layer3, adts }

  private static func type(of stream: Stream?) -> String? {
    switch stream {
    case .layer3: "audio/mpeg"
    case .adts: "audio/aac"
    case nil: nil
    }
  }

  private func frames(at offset: Int) -> Stream? {
    if let size = layer3Size(at: offset), isEnd(offset + size) || layer3Size(at: offset + size) != nil {
      return .layer3
    }
    if let size = adtsSize(at: offset), isEnd(offset + size) || adtsSize(at: offset + size) != nil { return .adts }
    return nil
  }

  /// Whether the offset is the end of the file, or beyond the bytes that were read.
  private func isEnd(_ offset: Int) -> Bool {
    Int64(offset) == length || offset + 4 > bytes.count && Int64(offset) < length
  }

  /// The length of an MPEG-1, 2 or 2.5 layer III frame (ISO 11172-3 §2.4.3.1).
  private func layer3Size(at offset: Int) -> Int? {
    guard let sync = byte(offset), sync == 0xFF, let second = byte(offset + 1), second & 0xE6 == 0xE2,
      let third = byte(offset + 2)
    else { return nil }
    let version = Int(second >> 3 & 3), rate = Int(third >> 2 & 3), bits = Int(third >> 4)
    guard version != 1, rate != 3, bits != 0, bits != 15 else { return nil }
    let isFirst = version == 3
    let kilobits =
      isFirst
      ? [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320][bits - 1]
      : [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160][bits - 1]
    let hertz = [44_100, 48_000, 32_000][rate] / (isFirst ? 1 : version == 2 ? 2 : 4)
    return (isFirst ? 144_000 : 72_000) * kilobits / hertz + Int(third >> 1 & 1)
  }

  /// The length of an AAC frame in ADTS (ISO 13818-7 §6.2).
  private func adtsSize(at offset: Int) -> Int? {
    guard offset + 6 <= bytes.count, byte(offset) == 0xFF, bytes[offset + 1] & 0xF6 == 0xF0,
      bytes[offset + 2] >> 2 & 0xF < 13
    else { return nil }
    let size =
      Int(bytes[offset + 3] & 3) << 11 | Int(bytes[offset + 4]) << 3 | Int(bytes[offset + 5]) >> 5
    return size >= 7 ? size : nil
  }
}
