public import HTTPTypes
public import NIOCore

/// The head of a response and its body.
public struct ClientResponse: Sendable {
  public var status: Int
  public var headers: HTTPFields
  public var body: Body

  /// A buffered body, or one that is still being received.
  public enum Body: Sendable {
    case bytes(ByteBuffer)
    case stream(ResponseStream)

    /// Collects the whole body, up to `limit` bytes.
    /// - Throws: ``ClientError`` when the transfer fails or a streamed body exceeds the limit.
    public func collect(upTo limit: Int) async throws -> ByteBuffer {
      switch self {
      case .bytes(let buffer): return buffer
      case .stream(let stream):
        var result = ByteBuffer()
        for try await chunk in stream {
          result.writeImmutableBuffer(chunk)
          if result.readableBytes > limit {
            throw ClientError(.responseTooLarge, mayHaveRun: true, "more than \(limit) bytes")
          }
        }
        return result
      }
    }
  }
}
