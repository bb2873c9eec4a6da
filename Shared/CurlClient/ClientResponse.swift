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
    public func collect(upTo limit: Int) async throws -> [UInt8] {
      switch self {
      case .bytes(let buffer): return Array(buffer.readableBytesView)
      case .stream(let stream):
        var result: [UInt8] = []
        for try await chunk in stream {
          result += chunk.readableBytesView
          if result.count > limit {
            throw ClientError(.responseTooLarge, mayHaveRun: true, "more than \(limit) bytes")
          }
        }
        return result
      }
    }
  }
}
