import CZlib

/// Pictures as PNG files.
enum PNG {
  private static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

  /// - Throws: ``DemoError`` when zlib has no memory.
  static func encode(_ canvas: Canvas) throws -> [UInt8] {
    let side = big(canvas.side)
    // 8 bits of red, green and blue; deflate, the usual filters, not interlaced.
    return signature + chunk("IHDR", side + side + [8, 2, 0, 0, 0]) + chunk("IDAT", try deflated(rows(of: canvas)))
      + chunk("IEND", [])
  }

  /// Each row as its difference from the row above, which is small where colors change slowly.
  private static func rows(of canvas: Canvas) -> [UInt8] {
    let (width, up) = (canvas.side * 3, UInt8(2))
    var bytes: [UInt8] = []
    bytes.reserveCapacity((width + 1) * canvas.side)
    for row in 0..<canvas.side {
      bytes.append(up)
      for offset in row * width..<(row + 1) * width {
        bytes.append(canvas.pixels[offset] &- (row == 0 ? 0 : canvas.pixels[offset - width]))
      }
    }
    return bytes
  }

  private static func deflated(_ bytes: [UInt8]) throws -> [UInt8] {
    var length = compressBound(uLong(bytes.count))
    var result = [UInt8](repeating: 0, count: Int(length))
    guard compress2(&result, &length, bytes, uLong(bytes.count), 6) == Z_OK else {
      throw DemoError("A picture could not be compressed.")
    }
    return Array(result[..<Int(length)])
  }

  private static func chunk(_ name: String, _ content: [UInt8]) -> [UInt8] {
    let body = Array(name.utf8) + content
    return big(content.count) + body + big(Int(crc32(0, body, uInt(body.count))))
  }

  /// Four bytes, the most significant first.
  private static func big(_ number: Int) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
  }
}
