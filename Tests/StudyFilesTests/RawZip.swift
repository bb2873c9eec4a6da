/// ZIP archives as no honest program writes them.
struct RawZip {
  struct Entry {
    var name: String
    var content: [UInt8] = []
    var flags: UInt16 = 0
    var method: UInt16 = 0
    /// The attributes of Unix, such as the type of file.
    var mode: UInt16 = 0o100644
    var checksum: UInt32?
    /// The size that the archive claims.
    var size: Int?
  }

  var entries: [Entry]
  /// How many more entries the archive claims to have.
  var claims = 0

  private static func checksum(_ bytes: [UInt8]) -> UInt32 {
    var checksum: UInt32 = ~0
    for byte in bytes {
      checksum ^= UInt32(byte)
      for _ in 0..<8 { checksum = checksum & 1 == 1 ? checksum >> 1 ^ 0xEDB8_8320 : checksum >> 1 }
    }
    return ~checksum
  }

  private static func bytes(_ numbers: [(Int, Int)]) -> [UInt8] {
    numbers.flatMap { number, count in (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) } }
  }

  var bytes: [UInt8] {
    var archive: [UInt8] = []
    var directory: [UInt8] = []
    for entry in entries {
      let name = Array(entry.name.utf8)
      let shared = Self.bytes([
        (20, 2), (Int(entry.flags), 2), (Int(entry.method), 2), (0, 4),
        (Int(entry.checksum ?? Self.checksum(entry.content)), 4), (entry.content.count, 4),
        (entry.size ?? entry.content.count, 4), (name.count, 2), (0, 2),
      ])
      directory += Array("PK\u{1}\u{2}".utf8) + Self.bytes([(3 << 8 | 20, 2)]) + shared
      directory += Self.bytes([(0, 6), (Int(entry.mode) << 16, 4), (archive.count, 4)]) + name
      archive += Array("PK\u{3}\u{4}".utf8) + shared + name + entry.content
    }
    let count = entries.count + claims
    let end = Self.bytes([(0, 4), (count, 2), (count, 2), (directory.count, 4), (archive.count, 4), (0, 2)])
    return archive + directory + Array("PK\u{5}\u{6}".utf8) + end
  }
}

/// Zstandard frames that repeat a byte: four bytes for each 128 KiB.
enum RawZstandard {
  static func zeros(_ bytes: Int, windowLog: UInt8 = 20) -> [UInt8] {
    let block = 131_072
    var frame: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD, 0, (windowLog - 10) << 3]
    var rest = bytes
    repeat {
      let size = min(rest, block)
      rest -= size
      let header = size << 3 | 1 << 1 | (rest == 0 ? 1 : 0)
      frame += [UInt8(header & 0xFF), UInt8(header >> 8 & 0xFF), UInt8(header >> 16), 0]
    } while rest > 0
    return frame
  }

  /// A frame that holds the bytes as they are.
  static func stored(_ bytes: [UInt8]) -> [UInt8] {
    var frame: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD, 0, 10 << 3]
    var offset = 0
    repeat {
      let end = min(offset + 131_072, bytes.count)
      let header = (end - offset) << 3 | (end == bytes.count ? 1 : 0)
      frame += [UInt8(header & 0xFF), UInt8(header >> 8 & 0xFF), UInt8(header >> 16)] + bytes[offset..<end]
      offset = end
    } while offset < bytes.count
    return frame
  }
}
