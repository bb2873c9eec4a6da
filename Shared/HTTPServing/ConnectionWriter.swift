import HTTPTypes
import HummingbirdCore
import NIOCore

/// Writes a response to an HTTP/1 connection without TLS, on which the system can copy files to the socket by itself.
struct ConnectionWriter: ResponseBodyWriter {
  private var writer: any ResponseBodyWriter
  private let channel: any Channel

  /// A body that writes another one through such a writer. A body that middleware has wrapped, such as a compressed
  /// one, writes its files piece by piece.
  static func body(_ body: ResponseBody, on channel: any Channel) -> ResponseBody {
    ResponseBody(contentLength: body.contentLength) { writer in
      try await body.write(ConnectionWriter(writer: writer, channel: channel))
    }
  }

  mutating func write(_ buffer: ByteBuffer) async throws { try await writer.write(buffer) }

  mutating func write(contentsOf buffers: some Sequence<ByteBuffer>) async throws {
    try await writer.write(contentsOf: buffers)
  }

  consuming func finish(_ trailingHeaders: HTTPFields?) async throws { try await writer.finish(trailingHeaders) }

  /// Sends a range of a file after what has been written.
  func send(_ file: OpenFile, _ range: Range<Int>, _ pace: StoredBody.Pace?) async throws {
    let (channel, loop) = (channel, channel.eventLoop)
    try await loop.flatSubmit {
      do {
        return try channel.pipeline.syncOperations.handler(type: StrictHTTP1Handler.self).send(file, range, pace)
      } catch {
        return loop.makeFailedFuture(error)
      }
    }.get()
  }
}
