import CZlib
import Contracts
import Crypto
import Foundation
public import HTTPTypes
public import NIOCore

/// A file of the client with the fields of its answers, ready to be sent.
public struct WebFile: Sendable {
  /// How a file is sent.
  public struct Form: Sendable {
    public let headers: HTTPFields
    public let body: ByteBuffer
    /// The fields as lines of HTTP/1.1, with the length of the body.
    public let lines: ByteBuffer

    fileprivate init(_ headers: HTTPFields, _ bytes: [UInt8]) {
      (self.headers, body) = (headers, ByteBuffer(bytes: bytes))
      let lines = headers.map { "\($0.name.rawName): \($0.value)\r\n" }.joined()
      self.lines = ByteBuffer(string: lines + "Content-Length: \(bytes.count)\r\n")
    }
  }

  public let plain: Form
  /// `nil` when compression does not make it smaller.
  public let gzipped: Form?
  private let tag: EntityTag

  enum Caching: String {
    /// Its URL names its content.
    case forever = "public, max-age=31536000, immutable"
    case revalidated = "no-cache"
  }

  private static let smallest = 512

  /// - Parameters:
  ///   - type: `nil` when files of this kind are not served.
  ///   - fields: Further fields of all answers.
  init(_ bytes: [UInt8], type: MediaType, caching: Caching, fields: [HTTPField] = []) {
    tag = EntityTag(version: nil, digest: Self.digest(bytes).prefix(16))
    var headers: HTTPFields = [
      .contentType: type.name, .cacheControl: caching.rawValue, .eTag: tag.rawValue,
    ]
    if let policy = HTTPField.Name("Cross-Origin-Resource-Policy") { headers[policy] = "same-origin" }
    for field in fields { headers.append(field) }
    let compressed = type.isCompressible && bytes.count >= Self.smallest ? Self.gzip(bytes) : nil
    if let compressed, compressed.count < bytes.count {
      headers[.vary] = "Accept-Encoding"
      var others = headers
      others[.contentEncoding] = "gzip"
      others[.eTag] = tag.compressed.rawValue
      gzipped = Form(others, compressed)
    } else {
      gzipped = nil
    }
    plain = Form(headers, bytes)
  }

  /// Whether a caller already has the file.
  public func isKnown(to ifNoneMatch: String?) -> Bool { ifNoneMatch.flatMap { tag.match(in: $0) } != nil }

  static func digest(_ bytes: [UInt8]) -> String {
    SHA256.hash(data: bytes).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
  }

  /// At the best level, because it is done once.
  private static func gzip(_ bytes: [UInt8]) -> [UInt8]? {
    var stream = z_stream()
    guard czlib_begin_gzip(&stream, 9) == Z_OK else { return nil }
    defer { deflateEnd(&stream) }
    var input = bytes
    var output = [UInt8](repeating: 0, count: Int(deflateBound(&stream, UInt(bytes.count))) + 64)
    let isComplete = input.withUnsafeMutableBufferPointer { input in
      output.withUnsafeMutableBufferPointer { output in
        (stream.next_in, stream.avail_in) = (input.baseAddress, UInt32(input.count))
        (stream.next_out, stream.avail_out) = (output.baseAddress, UInt32(output.count))
        return deflate(&stream, Z_FINISH) == Z_STREAM_END
      }
    }
    return isComplete ? Array(output.prefix(Int(stream.total_out))) : nil
  }
}

/// The media type of a file, by the end of its name.
struct MediaType {
  let name: String
  let isCompressible: Bool

  init?(of file: String) {
    // Tests and types are not part of the client.
    guard !file.hasSuffix(".test.js"), let end = file.split(separator: "/").last?.split(separator: ".").last,
      let type = Self.types[end]
    else { return nil }
    (name, isCompressible) = type
  }

  private static let types: [Substring: (String, Bool)] = [
    "html": ("text/html; charset=utf-8", true), "js": ("text/javascript; charset=utf-8", true),
    "css": ("text/css; charset=utf-8", true), "json": ("application/json", true),
    "webmanifest": ("application/manifest+json", true), "svg": ("image/svg+xml", true),
    "txt": ("text/plain; charset=utf-8", true), "png": ("image/png", false), "jpg": ("image/jpeg", false),
    "webp": ("image/webp", false), "avif": ("image/avif", false), "ico": ("image/x-icon", false),
    "woff2": ("font/woff2", false), "mp3": ("audio/mpeg", false), "wav": ("audio/wav", false),
    "mp4": ("video/mp4", false),
  ]
}
