import NIOCore

/// The body of an answer on its way to the caller: takes it out of the service's framing and puts it into the caller's.
final class ByteResponseBody {
  enum Coding {
    case none
    /// With a length.
    case plain(Int)
    case chunked
    /// Compressed, in chunks.
    case gzip(Gzip)
  }

  enum Result: Equatable {
    case more
    /// Whether more has arrived than the body.
    case end(hasMore: Bool)
    case invalid
  }

  private enum Source {
    case length(Int)
    case chunked(ChunkedBody)
    case untilClose
  }

  private var source: Source
  private let coding: Coding

  init(_ framing: ResponseHead.Framing, _ coding: Coding) {
    source =
      switch framing {
      case .none: .length(0)
      case .length(let length): .length(length)
      case .chunked: .chunked(ChunkedBody())
      case .untilClose: .untilClose
      }
    self.coding = coding
  }

  var endsWithConnection: Bool { if case .untilClose = source { true } else { false } }

  /// Passes on what has arrived.
  ///
  /// - Parameter write: Receives the bytes for the caller.
  func pass(_ bytes: ByteBuffer, _ write: (ByteBuffer) -> Void) -> Result {
    var bytes = bytes
    switch source {
    case .untilClose: return send(bytes, write) ? .more : .invalid
    case .length(let length):
      let part = bytes.readSlice(length: min(length, bytes.readableBytes)) ?? ByteBuffer()
      source = .length(length - part.readableBytes)
      guard send(part, write) else { return .invalid }
      guard part.readableBytes == length else { return .more }
      return end(write) ? .end(hasMore: bytes.readableBytes > 0) : .invalid
    case .chunked(var chunks):
      var offset = 0
      while true {
        switch bytes.withUnsafeReadableBytes({ chunks.next($0, &offset) }) {
        case .content(let range):
          let part = bytes.getSlice(at: bytes.readerIndex + range.lowerBound, length: range.count)
          guard let part, send(part, write) else { return .invalid }
        case .needsMore:
          source = .chunked(chunks)
          return .more
        case .invalid: return .invalid
        case .end(let end): return self.end(write) ? .end(hasMore: end < bytes.readableBytes) : .invalid
        }
      }
    }
  }

  /// Ends a body that ends with its connection.
  @discardableResult
  func end(_ write: (ByteBuffer) -> Void) -> Bool {
    switch coding {
    case .none, .plain: return true
    case .chunked: break
    case .gzip(let gzip):
      guard let rest = try? gzip.end() else { return false }
      writeChunk(rest, write)
    }
    write(Self.lastChunk)
    return true
  }

  private static let lastChunk = ByteBuffer(string: "0\r\n\r\n")
  private static let lineEnd = ByteBuffer(string: "\r\n")

  private func send(_ part: ByteBuffer, _ write: (ByteBuffer) -> Void) -> Bool {
    guard part.readableBytes > 0 else { return true }
    switch coding {
    case .none: break
    case .plain: write(part)
    case .chunked: writeChunk(part, write)
    case .gzip(let gzip):
      guard let compressed = try? gzip.compress(part) else { return false }
      writeChunk(compressed, write)
    }
    return true
  }

  private func writeChunk(_ part: ByteBuffer, _ write: (ByteBuffer) -> Void) {
    guard part.readableBytes > 0 else { return }
    var chunk = ByteBuffer(string: String(part.readableBytes, radix: 16) + "\r\n")
    if part.readableBytes <= 16 * 1024 {
      chunk.writeImmutableBuffer(part)
      chunk.writeImmutableBuffer(Self.lineEnd)
      return write(chunk)
    }
    write(chunk)
    write(part)
    write(Self.lineEnd)
  }
}
