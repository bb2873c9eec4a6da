public import HTTPTypes
public import NIOCore

/// The head of a response and its body.
public struct ClientResponse: Sendable {
  public var status: Int
  public var headers: HTTPFields
  public var body: Body

  /// A body that is already here, or one that is still arriving.
  public enum Body: Sendable {
    case bytes(ByteBuffer)
    case stream(ResponseStream)

    /// Everything, for bodies within `limit` bytes.
    /// - Throws: ``ClientError`` when the rest does not arrive or is larger.
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
