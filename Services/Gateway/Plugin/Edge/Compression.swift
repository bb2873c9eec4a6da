import CZlib
import Contracts
import HTTPTypes
import HummingbirdCore
import NIOCore

/// Compresses responses with gzip, when the client accepts it and the body is large enough.
enum Compression {
  private static let smallest = 1024
  /// The fastest level, because bandwidth costs less than CPU time.
  private static let level: Int32 = 1

  static func apply(to response: inout Response, for request: Request) {
    guard isCompressible(response) else { return }
    response.headers.append(HTTPField(name: .vary, value: "Accept-Encoding"))
    guard accepts(request.headers[values: .acceptEncoding]) else { return }
    response.headers[.contentEncoding] = "gzip"
    response.headers[.contentLength] = nil
    // A strong tag stands for these bytes only. Services accept it in `If-Match` and `If-None-Match` all the same.
    if let tag = response.headers[.eTag] { response.headers[.eTag] = EntityTag(rawValue: tag).compressed.rawValue }
    if request.method == .head { return }
    let body = response.body
    response.body = ResponseBody { writer in
      var gzip = try GzipWriter(writer)
      try await body.write(gzip)
      try await gzip.end()
    }
  }

  private static func isCompressible(_ response: Response) -> Bool {
    guard response.body.contentLength.map({ $0 >= smallest }) ?? true,
      response.status.code == 200 || response.status.code == 201 || response.status.code >= 400,
      !response.headers.contains(.contentEncoding),
      response.headers[.cacheControl]?.contains("no-transform") != true,
      let type = response.headers[.contentType]?.split(separator: ";").first
    else { return false }
    return ["application/json", "application/problem+json", "text/html", "text/plain", "text/css", "image/svg+xml"]
      .contains(String(type))
  }

  /// RFC 9110 §12.5.3, as far as gzip is concerned.
  static func accepts(_ values: [String]) -> Bool {
    let codings = values.flatMap { $0.split(separator: ",") }.map { part in
      part.filter { $0 != " " }.lowercased().split(separator: ";")
    }
    let gzip = codings.first { $0.first == "gzip" } ?? codings.first { $0.first == "*" }
    guard let gzip else { return false }
    return !gzip.dropFirst().contains { $0.hasPrefix("q=0") && $0.allSatisfy { "q=0.".contains($0) } }
  }

  /// Compresses what is written through it.
  private struct GzipWriter: ResponseBodyWriter {
    /// zlib's state, freed with the last reference.
    private final class Deflater {
      var stream = z_stream()
      deinit { deflateEnd(&stream) }
    }

    private struct CannotCompress: Error {}

    private let deflater = Deflater()
    private var target: any ResponseBodyWriter

    init(_ target: any ResponseBodyWriter) throws {
      self.target = target
      guard czlib_begin_gzip(&deflater.stream, Compression.level) == Z_OK else { throw CannotCompress() }
    }

    mutating func write(_ buffer: ByteBuffer) async throws {
      let compressed = try deflate(buffer, Z_NO_FLUSH)
      if compressed.readableBytes > 0 { try await target.write(compressed) }
    }

    /// Does nothing: ``end()`` finishes the body and must be called exactly once for all its writers.
    consuming func finish(_ trailingHeaders: HTTPFields?) async throws {}

    mutating func end() async throws {
      let rest = try deflate(ByteBuffer(), Z_FINISH)
      try await target.write(rest)
      try await target.finish(nil)
    }

    private func deflate(_ buffer: ByteBuffer, _ flush: Int32) throws -> ByteBuffer {
      var input = buffer
      var output = ByteBuffer()
      output.reserveCapacity(Int(deflateBound(&deflater.stream, UInt(input.readableBytes))) + 64)
      var result = Z_OK
      input.withUnsafeMutableReadableBytes { bytes in
        deflater.stream.next_in = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
        deflater.stream.avail_in = UInt32(bytes.count)
        repeat {
          output.writeWithUnsafeMutableBytes(minimumWritableBytes: 1024) { room in
            deflater.stream.next_out = room.baseAddress?.assumingMemoryBound(to: UInt8.self)
            deflater.stream.avail_out = UInt32(room.count)
            result = CZlib.deflate(&deflater.stream, flush)
            return room.count - Int(deflater.stream.avail_out)
          }
        } while deflater.stream.avail_out == 0 && result == Z_OK
      }
      guard result == Z_OK || result == Z_STREAM_END || result == Z_BUF_ERROR else { throw CannotCompress() }
      return output
    }
  }
}
