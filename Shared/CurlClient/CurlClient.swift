import CCurl
import NIOCore
import Synchronization
import Timing

/// An HTTP client based on libcurl: pooled connections, streaming in both directions, time and size limits, bounded
/// concurrency per origin with a circuit breaker, and retries where they are safe.
///
/// Call ``shutdown()`` before releasing a client; it stops the thread and closes the connections.
public final class CurlClient: Sendable {
  /// The settings of a client; limits apply per origin.
  public struct Configuration: Sendable {
    /// Maximum number of requests in flight per origin. The connection cache holds at least as many connections.
    public var concurrentRequests = 512
    /// Maximum number of queued requests per origin.
    public var queuedRequests = 1024
    /// Maximum time in the queue, in seconds.
    public var queueSeconds = 2.0
    /// Consecutive failures that open the circuit of an origin; 0 disables the circuit breaker.
    public var breakerFailures = 5
    /// How long an open circuit rejects all requests before it admits one probe, in seconds.
    public var breakerSeconds = 1.0
    /// Maximum number of attempts for a request that is repeatable or was never sent.
    public var attempts = 3
    /// Base of the jittered exponential backoff between attempts, in seconds.
    public var backoffSeconds = 0.05
    /// Whether to use HTTP/2 over TLS when the server offers it. Cleartext always uses HTTP/1.1 because libcurl 7.88
    /// breaks reused h2c connections.
    public var usesHTTP2 = false
    /// PEM file of trusted certificate authorities; `nil` for the system's. Verification cannot be disabled.
    public var authoritiesFile: String?
    /// PEM files of the client certificate and its key.
    public var identity: (certificateFile: String, keyFile: String)?
    /// Proxy URL; the environment's proxies are never used.
    public var proxy: String?
    /// How long an idle connection is kept open, in seconds; below the server's idle timeout, so that the client does
    /// not reuse a connection that the server has closed.
    public var idleConnectionSeconds = 45

    public init() {}
  }

  /// Counters since the client was created, and current gauges.
  public struct Statistics: Sendable {
    public var requests = 0
    public var newConnections = 0
    public var retries = 0
    public var failures = 0
    public var inFlight = 0
    /// The number of origins whose circuit is open.
    public var openCircuits = 0
  }

  private let configuration: Configuration
  private let loop: CurlLoop

  /// Starts the client's thread.
  public init(configuration: Configuration = Configuration()) {
    self.configuration = configuration
    loop = CurlLoop(configuration: configuration)
  }

  /// Sends a request and returns the response; an error status does not throw.
  ///
  /// Failed attempts are retried when nothing was sent or the request is repeatable, unless its body is streamed.
  /// Canceling the task aborts the transfer.
  public func execute(_ request: ClientRequest) async throws(ClientError) -> ClientResponse {
    var attempt = 1
    let deadline = request.timeouts.total.map { MonotonicClock.now() + $0 }
    while true {
      do {
        return try await attemptOnce(request, isRetry: attempt > 1, deadline: deadline)
      } catch {
        guard attempt < min(request.attempts ?? .max, configuration.attempts), Self.mayRepeat(request, after: error),
          !Task.isCancelled
        else {
          throw error
        }
        try? await Task.sleep(for: .seconds(Backoff(first: configuration.backoffSeconds).delay(after: attempt)))
        attempt += 1
      }
    }
  }

  private static func mayRepeat(_ request: ClientRequest, after error: ClientError) -> Bool {
    if case .stream = request.body { return false }
    switch error.reason {
    case .couldNotConnect, .connectionLost: return !error.mayHaveRun || request.isRepeatable
    case .badResponse: return request.isRepeatable
    default: return false
    }
  }

  /// Whether a request was posted to the loop; a cancellation that precedes it must not be lost.
  private enum Stage { case waiting, posted, cancelled }

  private func attemptOnce(_ request: ClientRequest, isRetry: Bool, deadline: Double?) async throws(ClientError)
    -> ClientResponse
  {
    let id = loop.nextID()
    let stage = Mutex(Stage.waiting)
    var upload: (buffer: UploadBuffer, feeder: UploadFeeder)?
    if case .stream(_, let body) = request.body {
      let buffer = UploadBuffer { [loop] in loop.post(.resume(id)) }
      upload = (buffer, UploadFeeder(body, into: buffer))
    }
    let submission = (request: request, buffer: upload?.buffer, feeder: upload?.feeder)
    do {
      let response = try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation { continuation in
          let command = CurlLoop.Command.start(
            CurlLoop.Submission(
              id: id,
              request: submission.request,
              upload: submission.buffer,
              feeder: submission.feeder,
              isRetry: isRetry,
              deadline: deadline,
              continuation: continuation
            )
          )
          let isCancelled = stage.withLock { stage in
            if stage == .cancelled { return true }
            stage = .posted
            loop.post(command)
            return false
          }
          if isCancelled { continuation.resume(throwing: ClientError(.cancelled, mayHaveRun: false)) }
        }
      } onCancel: {
        stage.withLock { stage in
          if stage == .posted { loop.post(.cancel(id)) } else { stage = .cancelled }
        }
      }
      if case .bytes = response.body { await upload?.feeder.stop() }
      return response
    } catch {
      await upload?.feeder.stop()
      throw error as? ClientError ?? ClientError(.badResponse, mayHaveRun: true, "\(error)")
    }
  }

  /// Counters for metrics.
  public var statistics: Statistics { loop.statistics }

  /// Fails the pending requests, closes every connection and waits for the thread to exit.
  public func shutdown() async { await loop.shutdown() }
}
