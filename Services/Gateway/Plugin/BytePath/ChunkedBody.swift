import NIOCore

/// Reads a chunked body (RFC 9112 §7.1): a pure value that is given the bytes as they arrive.
struct ChunkedBody {
  enum Step: Equatable {
    /// A part of the content, in the bytes that were given.
    case content(Range<Int>)
    /// The body ends at this offset.
    case end(Int)
    /// All bytes were used.
    case needsMore
    case invalid
  }

  private enum State {
    case size, sizeDigits, extensions, sizeEnd
    case content
    case contentEnd, contentLineEnd
    case trailer, trailerLine, trailerLineEnd, lastLineEnd
    case done
  }

  private var state = State.size
  private var size = 0
  /// Bytes of extensions and trailers, which are bounded together.
  private var ignored = 0

  private static let maxIgnored = 16 * 1024

  /// Reads on.
  ///
  /// - Parameter offset: Where to go on; afterwards, the offset up to which the bytes were used.
  mutating func next(_ bytes: UnsafeRawBufferPointer, _ offset: inout Int) -> Step {
    while offset < bytes.count {
      let byte = bytes[offset]
      switch state {
      case .size, .sizeDigits:
        if let digit = Self.hexDigit(byte) {
          guard size < 1 << 48 else { return .invalid }
          (size, state) = (size * 16 + digit, .sizeDigits)
        } else if state == .sizeDigits, byte == FieldLine.cr {
          state = .sizeEnd
        } else if state == .sizeDigits, byte == UInt8(ascii: ";") {
          state = .extensions
        } else {
          return .invalid
        }
      case .extensions:
        if byte == FieldLine.cr {
          state = .sizeEnd
        } else if byte < 0x20 && byte != 0x09 || !ignore() {
          return .invalid
        }
      case .sizeEnd:
        guard byte == FieldLine.lf else { return .invalid }
        state = size == 0 ? .trailer : .content
      case .content:
        let count = min(size, bytes.count - offset)
        size -= count
        if size == 0 { state = .contentEnd }
        defer { offset += count }
        return .content(offset..<offset + count)
      case .contentEnd:
        guard byte == FieldLine.cr else { return .invalid }
        state = .contentLineEnd
      case .contentLineEnd:
        guard byte == FieldLine.lf else { return .invalid }
        state = .size
      case .trailer:
        if byte == FieldLine.cr {
          state = .lastLineEnd
        } else if byte < 0x20 || !ignore() {
          return .invalid
        } else {
          state = .trailerLine
        }
      case .trailerLine:
        if byte == FieldLine.cr {
          state = .trailerLineEnd
        } else if byte < 0x20 && byte != 0x09 || !ignore() {
          return .invalid
        }
      case .trailerLineEnd:
        guard byte == FieldLine.lf else { return .invalid }
        state = .trailer
      case .lastLineEnd:
        guard byte == FieldLine.lf else { return .invalid }
        state = .done
        offset += 1
        return .end(offset)
      case .done: return .invalid
      }
      offset += 1
    }
    return .needsMore
  }

  private mutating func ignore() -> Bool {
    ignored += 1
    return ignored <= Self.maxIgnored
  }

  private static func hexDigit(_ byte: UInt8) -> Int? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): Int(byte - UInt8(ascii: "0"))
    case UInt8(ascii: "a")...UInt8(ascii: "f"): Int(byte - UInt8(ascii: "a")) + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): Int(byte - UInt8(ascii: "A")) + 10
    default: nil
    }
  }
}

extension ResponseHead {
  /// The head with a length instead of chunks, if the whole body has arrived with it: a small answer is then passed on as
  /// if its service had known the length.
  ///
  /// - Parameter bytes: From the head on; the chunks are replaced by their content.
  func joiningChunks(in bytes: inout ByteBuffer) -> ResponseHead {
    guard framing == .chunked else { return self }
    var (chunks, offset) = (ChunkedBody(), end)
    var content = [0..<end]
    while true {
      switch bytes.withUnsafeReadableBytes({ chunks.next($0, &offset) }) {
      case .content(let range): content.append(range)
      case .needsMore, .invalid: return self
      case .end(let offset):
        // Bytes behind the body do not belong there, and are noticed behind it.
        content.append(offset..<bytes.readableBytes)
        var (head, joined) = (self, ByteBuffer())
        for range in content {
          if let part = bytes.getSlice(at: bytes.readerIndex + range.lowerBound, length: range.count) {
            joined.writeImmutableBuffer(part)
          }
        }
        head.framing = .length(content.dropFirst().dropLast().reduce(0) { $0 + $1.count })
        bytes = joined
        return head
      }
    }
  }
}
