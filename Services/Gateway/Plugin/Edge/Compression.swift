import CZlib
import Contracts
import HTTPTypes
import HummingbirdCore
import NIOCore

/// Compresses responses with gzip, when the client accepts it and the body is large enough.
enum Compression {
  private static let smallest = 1024

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
    guard !response.headers.contains(.contentEncoding),
      response.headers[.cacheControl]?.contains("no-transform") != true
    else { return false }
    return isCompressible(
      response.headers[.contentType], length: response.body.contentLength, status: response.status.code)
  }

  /// Whether a response that has no encoding, and allows one, is worth it.
  static func isCompressible(_ contentType: String?, length: Int?, status: Int) -> Bool {
    guard length.map({ $0 >= smallest }) ?? true, status == 200 || status == 201 || status >= 400,
      let type = contentType?.split(separator: ";").first
    else { return false }
    return ["application/json", "application/problem+json", "text/html", "text/plain", "text/css", "image/svg+xml"]
      .contains(String(type))
  }

  /// RFC 9110 §12.5.3, as far as gzip is concerned.
  static func accepts(_ values: [String]) -> Bool {
    // The text is split by scalars, because `Character` takes others for a semicolon, too.
    let codings = values.flatMap { $0.unicodeScalars.split(separator: ",") }.map { part in
      part.split(separator: ";").map { String($0).filter { $0 != " " }.lowercased() }
    }
    let gzip = codings.first { $0.first == "gzip" } ?? codings.first { $0.first == "*" }
    guard let gzip else { return false }
    return !gzip.dropFirst().contains { $0.hasPrefix("q=0") && $0.allSatisfy { "q=0.".contains($0) } }
  }

  /// Compresses what is written through it.
  private struct GzipWriter: ResponseBodyWriter {
    private let gzip: Gzip
    private var target: any ResponseBodyWriter

    init(_ target: any ResponseBodyWriter) throws {
      (self.target, gzip) = (target, try Gzip())
    }

    mutating func write(_ buffer: ByteBuffer) async throws {
      let compressed = try gzip.compress(buffer)
      if compressed.readableBytes > 0 { try await target.write(compressed) }
    }

    /// Does nothing: ``end()`` finishes the body and must be called exactly once for all its writers.
    consuming func finish(_ trailingHeaders: HTTPFields?) async throws {}

    mutating func end() async throws {
      let rest = try gzip.end()
      try await target.write(rest)
      try await target.finish(nil)
    }
  }
}

/// Compresses a body as it comes. zlib's state is freed with the last reference.
final class Gzip {
  private struct CannotCompress: Error {}

  /// The fastest level, because bandwidth costs less than CPU time.
  private static let level: Int32 = 1

  private var stream = z_stream()

  init() throws {
    guard czlib_begin_gzip(&stream, Self.level) == Z_OK else { throw CannotCompress() }
  }

  deinit { deflateEnd(&stream) }

  /// - Returns: What can be sent so far; perhaps nothing.
  func compress(_ buffer: ByteBuffer) throws -> ByteBuffer { try deflate(buffer, Z_NO_FLUSH) }

  /// - Returns: The rest.
  func end() throws -> ByteBuffer { try deflate(ByteBuffer(), Z_FINISH) }

  private func deflate(_ buffer: ByteBuffer, _ flush: Int32) throws -> ByteBuffer {
    var input = buffer
    var output = ByteBuffer()
    output.reserveCapacity(Int(deflateBound(&stream, UInt(input.readableBytes))) + 64)
    var result = Z_OK
    input.withUnsafeMutableReadableBytes { bytes in
      stream.next_in = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
      stream.avail_in = UInt32(bytes.count)
      repeat {
        output.writeWithUnsafeMutableBytes(minimumWritableBytes: 1024) { room in
          stream.next_out = room.baseAddress?.assumingMemoryBound(to: UInt8.self)
          stream.avail_out = UInt32(room.count)
          result = CZlib.deflate(&stream, flush)
          return room.count - Int(stream.avail_out)
        }
      } while stream.avail_out == 0 && result == Z_OK
    }
    guard result == Z_OK || result == Z_STREAM_END || result == Z_BUF_ERROR else { throw CannotCompress() }
    return output
  }
}
