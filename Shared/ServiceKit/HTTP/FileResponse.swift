import Contracts
import HTTPTypes
import HummingbirdCore
import NIOCore
import SystemPackage

extension Response {
  private static let chunkBytes = 64 << 10
  /// The least speed at which a file must be read in sum, after a grace: it takes space until then.
  private static let minBytesPerSecond = 65_536.0
  private static let graceSeconds = 30.0

  /// A file, read and sent piece by piece, and removed afterwards.
  static func file(_ content: Content, _ file: TemporaryFile, _ status: HTTPResponse.Status) throws -> Response {
    let descriptor = try SystemPackage.FileDescriptor.open(file.path, .readOnly)
    let length = try descriptor.closeAfter { Int(try descriptor.seek(offset: 0, from: .end)) }
    var response = Response(
      status: status, headers: [.contentType: content.mediaType, .cacheControl: "no-store"],
      body: ResponseBody(contentLength: length) { writer in
        let input = try SystemPackage.FileDescriptor.open(file.path, .readOnly)
        defer { try? input.close() }
        var left = length
        let start = StrictHTTP1Handler.now()
        while left > 0 {
          let bytes = try [UInt8](unsafeUninitializedCapacity: min(left, chunkBytes)) { buffer, count in
            count = try input.read(into: UnsafeMutableRawBufferPointer(buffer))
          }
          guard !bytes.isEmpty else { throw ChannelError.eof }
          let limit = graceSeconds + Double(length - left) / minBytesPerSecond
          guard StrictHTTP1Handler.now() - start <= limit else { throw ChannelError.ioOnClosedChannel }
          left -= bytes.count
          try await writer.write(ByteBuffer(bytes: bytes))
        }
        try await writer.finish(nil)
      }
    )
    if let name = content.name { response.headers[.contentDisposition] = disposition(name) }
    return response
  }

  /// The field by which browsers save a response (RFC 6266).
  static func disposition(_ name: String) -> String {
    let plain = name.unicodeScalars.map { scalar -> Character in
      scalar.isASCII
        && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar) || " ._-".unicodeScalars.contains(scalar))
        ? Character(scalar) : "_"
    }
    return "attachment; filename=\"\(String(plain))\"; filename*=UTF-8''\(PercentCoding.encode(name))"
  }
}
