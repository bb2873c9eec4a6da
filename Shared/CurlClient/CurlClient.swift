import CCurl
import NIOCore
import Synchronization

/// An HTTP client on libcurl: pooled connections, streaming both ways, limits in time and size, bounded concurrency
/// per origin with a circuit breaker, and retries where they are safe.
///
/// Call ``shutdown()`` before letting go of a client; it ends its thread and connections.
public final class CurlClient: Sendable {
  /// How a client behaves towards every origin.
  public struct Configuration: Sendable {
    /// Requests in flight at once, per origin. The connection cache holds at least as many connections.
    public var concurrentRequests = 512
    /// Requests that may wait for a place, per origin.
    public var queuedRequests = 1024
    /// Longest wait for a place, in seconds.
    public var queueSeconds = 2.0
    /// Failures in a row after which an origin is refused at once; 0 switches the circuit breaker off.
    public var breakerFailures = 5
    /// How long it is refused before one request may try, in seconds.
    public var breakerSeconds = 1.0
    /// Attempts in all for a request that may be repeated, or that never left.
    public var attempts = 3
    /// Base of the exponential back-off between attempts, in seconds; jittered.
    public var backoffSeconds = 0.05
    /// HTTP/2 over TLS when the server offers it. Cleartext is always HTTP/1.1: libcurl 7.88 breaks reused h2c.
    public var usesHTTP2 = false
    /// File of trusted certificate authorities in PEM; the system's when `nil`. Verification cannot be switched off.
    public var authoritiesFile: String?
    /// Client certificate and key files in PEM.
    public var identity: (certificateFile: String, keyFile: String)?
    /// Proxy URL; the environment's proxies are never used.
    public var proxy: String?
    /// Seconds after which an unused connection is closed; below the server's own limit, so that it is not the client
    /// who finds a dead one.
    public var idleConnectionSeconds = 45

    public init() {}
  }

  /// Counts since the client was made.
  public struct Statistics: Sendable {
    public var requests = 0
    public var newConnections = 0
    public var retries = 0
    public var failures = 0
    public var inFlight = 0
    /// Origins whose circuit is open.
    public var openCircuits = 0
  }

  private let configuration: Configuration
  private let loop: CurlLoop

  /// Starts the client's thread.
  public init(configuration: Configuration = Configuration()) {
    self.configuration = configuration
    loop = CurlLoop(configuration: configuration)
  }

  /// Sends a request and answers the response; a status of any kind is an answer.
  ///
  /// Failed attempts are repeated when nothing was sent, or the request is repeatable and its body is at hand.
  /// Cancelling the task ends the transfer.
  public func execute(_ request: ClientRequest) async throws(ClientError) -> ClientResponse {
    var attempt = 1
    let deadline = request.timeouts.total.map { CurlLoopState.now() + $0 }
    while true {
      do {
        return try await attemptOnce(request, isRetry: attempt > 1, deadline: deadline)
      } catch {
        guard attempt < min(request.attempts ?? .max, configuration.attempts), Self.mayRepeat(request, after: error),
          !Task.isCancelled
        else {
          throw error
        }
        let longest = configuration.backoffSeconds * Double(1 << (attempt - 1))
        try? await Task.sleep(for: .seconds(Double.random(in: longest / 2...longest)))
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

  /// Whether a request is the loop's already; a cancellation that comes before must not be forgotten.
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

  /// Fails what is still running, closes every connection and waits for the thread to end.
  public func shutdown() async { await loop.shutdown() }
}
