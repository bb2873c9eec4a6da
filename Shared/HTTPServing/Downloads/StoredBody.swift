import HTTPTypes
import HummingbirdCore
import NIOCore
import Timing

/// The body of a response with stored content. It ends with an error, and so with its connection, when there are fewer
/// bytes than its head announced.
struct StoredBody: Sendable {
  typealias RemoteBytes = any AsyncSequence<ByteBuffer, any Error> & Sendable

  enum Piece: Sendable {
    case bytes(ByteBuffer)
    case range(Range<Int>)

    var count: Int {
      switch self {
      case .bytes(let bytes): bytes.readableBytes
      case .range(let range): range.count
      }
    }
  }

  /// Content from which any range can be read.
  enum Source: Sendable {
    case bytes([UInt8])
    case file(OpenFile)
    case remote(@Sendable (Range<Int>) async throws -> RemoteBytes)
  }

  /// The least speed at which a response must be read in sum.
  struct Pace: Sendable {
    let bytesPerSecond: Double
    let graceSeconds: Double

    /// These take space until they have been sent.
    static let ofTemporaryFiles = Pace(bytesPerSecond: 65_536, graceSeconds: 30)

    /// Less than the rate of any recording that is played while it is loaded, after what players load ahead.
    static let ofContent = Pace(bytesPerSecond: 2048, graceSeconds: 120)

    func allows(_ sent: Int, in seconds: Double) -> Bool { seconds <= graceSeconds + Double(sent) / bytesPerSecond }

    /// The pace of what follows, when so much has been read in so much time.
    func left(after sent: Int, in seconds: Double) -> Pace {
      Pace(bytesPerSecond: bytesPerSecond, graceSeconds: graceSeconds + Double(sent) / bytesPerSecond - seconds)
    }
  }

  struct WrongLength: Error {}
  struct TooSlow: Error {}

  /// Bodies up to this many bytes are read before the response begins, which is then written at once.
  static let smallBytes = 64 << 10
  /// The number of bytes that are read and written at once; some of them are in memory while a client reads slowly.
  private static let chunkBytes = 128 << 10

  private let source: Source
  private let pieces: [Piece]
  private let pace: Pace?
  /// The first range of remote content, which is requested before the response begins.
  private var first: RemoteBytes?

  init(_ source: Source, _ pieces: [Piece], pace: Pace? = nil) {
    (self.source, self.pieces, self.pace) = (source, pieces, pace)
  }

  private var count: Int { pieces.reduce(0) { $0 + $1.count } }

  var responseBody: ResponseBody {
    ResponseBody(contentLength: count) { writer in
      try await write(to: &writer)
      try await writer.finish(nil)
    }
  }

  /// Opens what a response needs, so that one that cannot be sent does not begin.
  static func open(_ content: StoredContent, _ pieces: [Piece]) async throws -> ResponseBody {
    var body: StoredBody
    switch content.source {
    case .bytes(let bytes):
      guard bytes.count == content.length else { throw WrongLength() }
      body = StoredBody(.bytes(bytes), pieces, pace: .ofContent)
    case .file(let path, let held):
      let file = try await OpenFile.open(path, holding: held)
      guard file.length == content.length else { throw WrongLength() }
      body = StoredBody(.file(file), pieces, pace: .ofContent)
    case .remote(let read): body = StoredBody(.remote(read), pieces, pace: .ofContent)
    }
    guard body.count > smallBytes else { return ResponseBody(byteBuffer: try await body.responseBody.collect()) }
    if case .remote(let read) = body.source {
      for case .range(let range) in pieces.prefix(2) { body.first = try await read(range) }
    }
    return body.responseBody
  }

  private func write(to writer: inout any ResponseBodyWriter) async throws {
    var first = first
    // The parts of a response share its time.
    let start = MonotonicClock.now()
    var sent = 0
    func paceLeft() -> Pace? { pace?.left(after: sent, in: MonotonicClock.now() - start) }
    for piece in pieces {
      switch (piece, source) {
      case (.bytes(let bytes), _): try await writer.write(bytes)
      case (.range(let range), .bytes(let bytes)):
        let progress = Progress(pace: paceLeft())
        for chunk in chunks(of: range) {
          try await writer.write(ByteBuffer(bytes: bytes[chunk]))
          try progress.check(chunk.upperBound - range.lowerBound)
        }
      case (.range(let range), .file(let file)): try await write(range, of: file, paceLeft(), to: &writer)
      case (.range(let range), .remote(let read)):
        let bytes: RemoteBytes
        if let early = first.take() { bytes = early } else { bytes = try await read(range) }
        try await write(range, of: bytes, paceLeft(), to: &writer)
      }
      sent += piece.count
    }
  }

  private func write(_ range: Range<Int>, of file: OpenFile, _ pace: Pace?, to writer: inout any ResponseBodyWriter)
    async throws
  {
    if let connection = writer as? ConnectionWriter { return try await connection.send(file, range, pace) }
    let progress = Progress(pace: pace)
    for chunk in chunks(of: range) {
      try await writer.write(try await file.read(chunk))
      try progress.check(chunk.upperBound - range.lowerBound)
    }
  }

  private func write(
    _ range: Range<Int>, of bytes: RemoteBytes, _ pace: Pace?, to writer: inout any ResponseBodyWriter
  ) async throws {
    var left = range.count
    let progress = Progress(pace: pace)
    for try await chunk in bytes {
      left -= chunk.readableBytes
      guard left >= 0 else { throw WrongLength() }
      try await writer.write(chunk)
      try progress.check(range.count - left)
    }
    guard left == 0 else { throw WrongLength() }
  }

  /// The progress of one part.
  private struct Progress {
    let pace: Pace?
    let start = MonotonicClock.now()

    func check(_ sent: Int) throws {
      if let pace, !pace.allows(sent, in: MonotonicClock.now() - start) { throw TooSlow() }
    }
  }

  private func chunks(of range: Range<Int>) -> some Sequence<Range<Int>> {
    stride(from: range.lowerBound, to: range.upperBound, by: Self.chunkBytes).lazy
      .map { $0..<Swift.min($0 + Self.chunkBytes, range.upperBound) }
  }
}
