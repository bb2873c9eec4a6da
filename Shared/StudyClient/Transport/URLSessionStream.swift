import Contracts

#if canImport(FoundationNetworking)
  import Foundation
  public import FoundationNetworking
#else
  public import Foundation
#endif

/// Reads responses that do not end, on iOS and Linux: the latter's URLSession has no `bytes(for:)`.
public struct URLSessionStream: Sendable {
  /// The stream's head is not that of a stream of events.
  public struct UnexpectedResponse: Error, Sendable, Equatable { public var status: Int }

  private let origin: String
  private let headers: @Sendable () async throws -> [(name: String, value: String)]
  private let configuration: @Sendable () -> URLSessionConfiguration
  /// The server sends a comment more often than this, in seconds.
  private static let maxSilence = 120.0

  /// - Parameters:
  ///   - origin: Such as `https://api.example.com`.
  ///   - headers: Returns the header fields of a stream, such as `Authorization`.
  public init(
    origin: String, configuration: @escaping @Sendable () -> URLSessionConfiguration = { .ephemeral },
    headers: @escaping @Sendable () async throws -> [(name: String, value: String)]
  ) { (self.origin, self.configuration, self.headers) = (origin, configuration, headers) }

  /// Opens a stream of bytes.
  public func open(_ target: String) async throws -> AsyncThrowingStream<[UInt8], any Error> {
    guard let url = URL(string: origin + target) else { throw URLError(.badURL) }
    var request = URLRequest(url: url, timeoutInterval: Self.maxSilence)
    request.setValue("text/event-stream", forHTTPHeaderField: "accept")
    for (name, value) in try await headers() { request.setValue(value, forHTTPHeaderField: name) }
    let (stream, continuation) = AsyncThrowingStream.makeStream(of: [UInt8].self)
    let settings = configuration()
    settings.timeoutIntervalForResource = 86_400
    let session = URLSession(configuration: settings, delegate: Receiver(continuation), delegateQueue: nil)
    let task = session.dataTask(with: request)
    continuation.onTermination = { _ in
      task.cancel()
      session.finishTasksAndInvalidate()
    }
    task.resume()
    return stream
  }

  private final class Receiver: NSObject, URLSessionDataDelegate {
    private let continuation: AsyncThrowingStream<[UInt8], any Error>.Continuation

    init(_ continuation: AsyncThrowingStream<[UInt8], any Error>.Continuation) { self.continuation = continuation }

    func urlSession(
      _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
      completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
      let status = (response as? HTTPURLResponse)?.statusCode ?? 0
      if status == 200 { return completionHandler(.allow) }
      continuation.finish(throwing: UnexpectedResponse(status: status))
      completionHandler(.cancel)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
      continuation.yield(Array(data))
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
      continuation.finish(throwing: error)
    }
  }
}
