import SystemPackage
import Threads

/// Copies a picture that libvips wrote without what does not belong to its pixels. libvips 8.14 either leaves EXIF and
/// XMP in WebP or drops color profiles from JPEG and PNG; here only what is known to be harmless passes.
struct PictureMetadata {
  let keepsProfile: Bool
  private let input: FileDescriptor
  private let output: FileDescriptor

  /// - Throws: ``MediaFileError/invalidContent`` when the input is not a well-formed file of the format.
  static func strip(
    _ input: String, to output: String, _ format: DerivedPicture.Format, keepsProfile: Bool
  ) async throws {
    try await BlockingThreads.files.run { try copy(input, to: output, format, keepsProfile: keepsProfile) }
  }

  private static func copy(
    _ input: String, to output: String, _ format: DerivedPicture.Format, keepsProfile: Bool
  ) throws {
    let source = try FileDescriptor.open(input, .readOnly)
    defer { try? source.close() }
    let options: FileDescriptor.OpenOptions = [.create, .truncate]
    let target = try FileDescriptor.open(output, .writeOnly, options: options, permissions: [.ownerReadWrite])
    defer { try? target.close() }
    do {
      let copy = PictureMetadata(keepsProfile: keepsProfile, input: source, output: target)
      switch format {
      case .jpeg: try copy.jpeg()
      case .png: try copy.png()
      case .webp: try copy.webp()
      }
    } catch Errno.noSpace {
      throw MediaFileError.storageFull
    }
  }

  /// Segments before the first scan (ITU T.81 B.1.1.4): tables and frame header, JFIF, Adobe's color transform, and the
  /// color profile (ICC.1 annex B.4).
  private func jpeg() throws {
    try copy(2, from: 0)
    var offset: Int64 = 2
    while true {
      let head = try read(4, at: offset)
      guard head[0] == 0xFF else { throw MediaFileError.invalidContent }
      let length = Int64(head[2]) << 8 | Int64(head[3])
      let isProfile = try head[1] == 0xE2 && read(12, at: offset + 4) == Array("ICC_PROFILE\0".utf8)
      switch head[1] {
      case 0xDA: return try copy(nil, from: offset)
      case 0xC0...0xCF, 0xDB, 0xDD, 0xE0, 0xEE: try copy(length + 2, from: offset)
      default: if isProfile && keepsProfile { try copy(length + 2, from: offset) }
      }
      offset += length + 2
    }
  }

  /// The chunks that affect the pixels (ISO 15948 §11).
  private func png() throws {
    let profile = keepsProfile ? ["iCCP"] : []
    let kept = ["IHDR", "PLTE", "tRNS", "sBIT", "IDAT", "IEND"] + profile
    try copy(8, from: 0)
    var offset: Int64 = 8, name = ""
    while name != "IEND" {
      let head = try read(8, at: offset)
      name = String(decoding: head[4...], as: UTF8.self)
      let length = head[..<4].reduce(Int64(0)) { $0 << 8 | Int64($1) } + 12
      if kept.contains(name) { try copy(length, from: offset) }
      offset += length
    }
  }

  /// The chunks of a still picture (RFC 9649 §2.7). The header names the chunks that follow.
  private func webp() throws {
    let profile = keepsProfile ? ["ICCP"] : []
    let kept = ["VP8X", "ALPH", "VP8 ", "VP8L"] + profile
    let end = try input.seek(offset: 0, from: .end)
    try copy(12, from: 0)
    var offset: Int64 = 12, written: Int64 = 4
    while offset < end {
      let head = try read(8, at: offset)
      let name = String(decoding: head[..<4], as: UTF8.self)
      let size = head[4...].reversed().reduce(Int64(0)) { $0 << 8 | Int64($1) }
      let length = 8 + size + size % 2
      if kept.contains(name) {
        try copy(length, from: offset)
        if name == "VP8X" {
          // The kept flags are those of alpha and of the profile.
          let flags = try read(1, at: offset + 8)[0] & (keepsProfile ? 0x30 : 0x10)
          try output.writeAll(toAbsoluteOffset: 8 + written + 8, [flags])
        }
        written += length
      }
      offset += length
    }
    try output.writeAll(toAbsoluteOffset: 4, (0..<4).map { UInt8(truncatingIfNeeded: written >> (8 * $0)) })
  }

  private func read(_ count: Int, at offset: Int64) throws -> [UInt8] {
    let bytes = try input.bytes(count, at: offset)
    guard bytes.count == count else { throw MediaFileError.invalidContent }
    return bytes
  }

  /// Appends a part of the input, or all that follows.
  private func copy(_ count: Int64?, from offset: Int64) throws {
    var offset = offset, rest = count ?? .max
    while rest > 0 {
      let bytes = try input.bytes(Int(min(rest, 65_536)), at: offset)
      if bytes.isEmpty {
        if count == nil { return }
        throw MediaFileError.invalidContent
      }
      try output.writeAll(bytes)
      (offset, rest) = (offset + Int64(bytes.count), rest - Int64(bytes.count))
    }
  }
}
