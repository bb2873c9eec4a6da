import SystemPackage

/// The pixels of a file of libvips' own format: a header of 64 bytes in the machine's byte order, then 8-bit bands
/// (`vips__read_header_bytes` in libvips' vips.c).
struct VipsFile {
  let width: Int
  let height: Int
  let bands: Int
  private let descriptor: FileDescriptor

  /// - Throws: ``MediaFileError/invalidContent`` for another file.
  static func withFile<Value>(_ path: String, _ body: (VipsFile) throws -> Value) throws -> Value {
    let descriptor = try FileDescriptor.open(path, .readOnly)
    return try descriptor.closeAfter { try body(VipsFile(descriptor)) }
  }

  private init(_ descriptor: FileDescriptor) throws {
    let header = try descriptor.bytes(64, at: 0)
    func number(_ offset: Int) -> Int { header[offset..<offset + 4].reversed().reduce(0) { $0 << 8 | Int($1) } }
    guard header.count == 64, header.starts(with: [0xB6, 0xA6, 0xF2, 0x08]) else { throw MediaFileError.invalidContent }
    (width, height, bands) = (number(4), number(8), number(12))
    self.descriptor = descriptor
  }

  /// Red, green, blue and alpha of each pixel of a small picture of 8 bits per band.
  func pixels() throws -> [UInt8] {
    let data = try descriptor.bytes(width * height * bands, at: 64)
    guard data.count == width * height * bands, (1...4).contains(bands) else { throw MediaFileError.invalidContent }
    return stride(from: 0, to: data.count, by: bands).flatMap { start in
      let pixel = data[start..<start + bands]
      let gray = pixel[start]
      return switch bands {
      case 1: [gray, gray, gray, 255]
      case 2: [gray, gray, gray, pixel[start + 1]]
      case 3: Array(pixel) + [255]
      default: Array(pixel)
      }
    }
  }
}

extension FileDescriptor {
  /// The bytes of a file from an offset; fewer at its end.
  func bytes(_ count: Int, at offset: Int64) throws -> [UInt8] {
    try [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      while filled < count {
        let rest = UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[filled...])
        let read = try read(fromAbsoluteOffset: offset + Int64(filled), into: rest)
        if read == 0 { break }
        filled += read
      }
    }
  }
}
