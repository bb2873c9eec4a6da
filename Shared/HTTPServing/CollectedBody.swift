import HTTPTypes
package import HummingbirdCore
package import NIOCore

extension ResponseBody {
  /// The whole body, for what changes it before it is sent.
  ///
  /// - Throws: ``BodyTooLarge`` when it is larger than the limit, and what writing it throws.
  package consuming func collect(upTo limit: Int = .max) async throws -> ByteBuffer {
    let collector = BodyCollector(limit: limit)
    try await write(collector)
    return collector.box.bytes
  }
}

package struct BodyTooLarge: Error {}

/// A writer is passed on by value, so the bytes are in a box.
private struct BodyCollector: ResponseBodyWriter {
  final class Box {
    var bytes = ByteBuffer()
  }

  let limit: Int
  let box = Box()

  mutating func write(_ buffer: ByteBuffer) throws {
    guard box.bytes.readableBytes + buffer.readableBytes <= limit else { throw BodyTooLarge() }
    box.bytes.writeImmutableBuffer(buffer)
  }

  consuming func finish(_ trailingHeaders: HTTPFields?) {}
}
