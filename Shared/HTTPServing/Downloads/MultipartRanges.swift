import NIOCore

/// Several parts of content as `multipart/byteranges` (RFC 9110 §14.6).
struct MultipartRanges {
  let pieces: [StoredBody.Piece]
  let mediaType: String

  init(_ ranges: [Range<Int>], of content: StoredContent) {
    // Not foreseeable, because it must not occur in the content.
    let boundary =
      String(UInt64.random(in: .min ... .max), radix: 36) + String(UInt64.random(in: .min ... .max), radix: 36)
    mediaType = "multipart/byteranges; boundary=\(boundary)"
    var pieces: [StoredBody.Piece] = []
    for (index, range) in ranges.enumerated() {
      let head = """
        \(index == 0 ? "" : "\r\n")--\(boundary)\r
        Content-Type: \(content.mediaType)\r
        Content-Range: \(range.contentRange(of: content.length))\r
        \r

        """
      pieces += [.bytes(ByteBuffer(string: head)), .range(range)]
    }
    self.pieces = pieces + [.bytes(ByteBuffer(string: "\r\n--\(boundary)--\r\n"))]
  }
}
