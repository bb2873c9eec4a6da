import CurlClient
import HTTPTypes
import NIOCore
import Synchronization
import Timing

/// A request to a bucket.
struct S3Request: Sendable {
  enum Body: Sendable {
    case none
    case bytes([UInt8])
    /// A part of a file, and the SHA-256 of this part.
    case file(path: String, range: Range<Int64>, hash: BlobHash)
  }

  var method: HTTPRequest.Method
  /// `nil` for the bucket.
  var key: String?
  var query: [(name: String, value: String)] = []
  var headers: [(name: String, value: String)] = []
  var body = Body.none
  /// Whether the answer is read while it arrives, up to a number of bytes.
  var streamed: Int?
}

/// Sends signed requests, and repeats those that may succeed later.
final class S3Client: Sendable {
  private static let maxAnswerBytes = 4 << 20

  let configuration: S3Configuration
  private let http: CurlClient
  private let now: @Sendable () -> Int64
  private let signer: S3Signer
  /// How much later the store's clock is than ours, in seconds.
  private let skew = Atomic<Int64>(0)
  private let threads = FileThreads()

  init(_ configuration: S3Configuration, http: CurlClient, now: @escaping @Sendable () -> Int64) {
    (self.configuration, self.http, self.now) = (configuration, http, now)
    signer = S3Signer(credentials: configuration.credentials, region: configuration.region)
  }

  /// The store's time in seconds since 1970, as far as it is known.
  var storeTime: Int64 { now() + skew.load(ordering: .relaxed) }

  // MARK: sending

  /// - Returns: A response with a status from 200 to 299.
  /// - Throws: ``S3Failure`` when it does not succeed after all attempts, or `CancellationError`.
  func send(_ request: S3Request) async throws -> ClientResponse {
    let deadline = ContinuousClock.now + .seconds(totalSeconds(request))
    var attempt = 1
    while true {
      let failure: S3Failure
      do {
        return try await sendOnce(request)
      } catch let error as S3Failure {
        failure = error
      }
      try await waitToRepeat(after: failure, attempt: attempt, until: deadline)
      attempt += 1
    }
  }

  /// Waits before the next attempt.
  /// - Throws: The failure when there is none, or `CancellationError`.
  func waitToRepeat(after failure: S3Failure, attempt: Int, until deadline: ContinuousClock.Instant? = nil) async throws
  {
    guard failure.isTransient, attempt < configuration.attempts else { throw failure }
    let pause = Duration.seconds(Backoff(first: configuration.backoffSeconds, maxDelay: 10).delay(after: attempt))
    if let deadline, ContinuousClock.now + pause > deadline { throw failure }
    try await Task.sleep(for: pause)
  }

  private func sendOnce(_ request: S3Request) async throws -> ClientResponse {
    let response: ClientResponse
    do {
      response = try await http.execute(try clientRequest(request))
    } catch let error as ClientError {
      if error.reason == .cancelled { throw CancellationError() }
      throw S3Failure(error)
    }
    guard (200..<300).contains(response.status) else {
      let body = (try? await response.body.collect(upTo: Self.maxAnswerBytes)) ?? []
      let failure = S3Failure(status: response.status, body: body, date: response.headers[.date])
      if let time = failure.storeTime { skew.store(time - now(), ordering: .relaxed) }
      throw failure
    }
    return response
  }

  private func totalSeconds(_ request: S3Request) -> Double {
    guard case .file(_, let range, _) = request.body else { return configuration.totalSeconds }
    return configuration.totalSeconds + Double(range.count) / 131_072
  }

  private func clientRequest(_ request: S3Request) throws -> ClientRequest {
    let origin = configuration.origin(of: configuration.endpoint)
    let parts = parts(of: request, origin: origin)
    let fields = signer.fields(for: parts, payloadHash: Self.payloadHash(request.body), at: storeTime)
    let query = request.query.map { "\(S3Encoding.query($0.name))=\(S3Encoding.query($0.value))" }
    var headers = HTTPFields()
    for (name, value) in request.headers + fields {
      if let name = HTTPField.Name(name) { headers.append(HTTPField(name: name, value: value)) }
    }
    return ClientRequest(
      request.method,
      origin: origin,
      target: query.isEmpty ? parts.path : "\(parts.path)?\(query.joined(separator: "&"))",
      headers: headers,
      body: try body(request.body),
      delivery: request.streamed == nil ? .whole : .streaming,
      timeouts: .init(
        connect: min(configuration.stallSeconds, 5),
        firstByte: configuration.stallSeconds,
        total: request.streamed == nil ? totalSeconds(request) : nil,
        stall: configuration.stallSeconds
      ),
      responseLimit: max(request.streamed ?? 0, Self.maxAnswerBytes),
      // Whatever was sent: content is stored under its hash, and all other requests have the same effect twice.
      isRepeatable: true
    ).once()
  }

  private func parts(of request: S3Request, origin: String) -> S3Signer.Parts {
    S3Signer.Parts(
      method: request.method.rawValue,
      host: Self.host(of: origin),
      path: configuration.path(of: request.key),
      query: request.query,
      headers: request.headers
    )
  }

  private static func host(of origin: String) -> String {
    String(origin.drop { $0 != "/" }.dropFirst(2))
  }

  private static func payloadHash(_ body: S3Request.Body) -> String {
    switch body {
    case .none: BlobHash(of: []).description
    case .bytes(let bytes): BlobHash(of: bytes).description
    case .file(_, _, let hash): hash.description
    }
  }

  private func body(_ body: S3Request.Body) throws -> ClientRequest.Body {
    switch body {
    case .none: .none
    case .bytes(let bytes): .bytes(bytes)
    case .file(_, let range, _) where range.isEmpty: .bytes([])
    case .file(let path, let range, _):
      .stream(length: range.count, FileChunks(path: path, range: range, threads: threads))
    }
  }

  // MARK: URLs

  /// The URL of an object for others.
  func presignedURL(of key: String, query: [(name: String, value: String)], validFor seconds: Int) -> String {
    let origin = configuration.origin(of: configuration.publicEndpoint)
    let parts = parts(of: S3Request(method: .get, key: key, query: query), origin: origin)
    return "\(origin)\(parts.path)?\(signer.presignedQuery(for: parts, validFor: seconds, at: storeTime))"
  }

  // MARK: files

  func run<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await threads.run(body)
  }
}

extension ClientRequest {
  /// Without repetitions by the client: they are ours, and signed again.
  fileprivate func once() -> Self {
    var request = self
    request.attempts = 1
    return request
  }
}

/// A range of a file, read while it is sent.
private struct FileChunks: AsyncSequence, Sendable {
  let path: String
  let range: Range<Int64>
  let threads: FileThreads

  struct AsyncIterator: AsyncIteratorProtocol {
    let chunks: FileChunks
    var offset: Int64

    mutating func next() async throws -> ByteBuffer? {
      guard offset < chunks.range.upperBound else { return nil }
      let (path, start) = (chunks.path, offset)
      let end = Swift.min(start + Int64(BlobFile.chunkBytes), chunks.range.upperBound)
      let buffer = try await chunks.threads.run {
        var buffer = ByteBuffer()
        try BlobFile.read(path, start..<end) { _ = buffer.writeBytes($0) }
        return buffer
      }
      // Otherwise the file has become shorter, and the store waits for bytes that never come.
      guard buffer.readableBytes == Int(end - start) else { throw BlobStorageError.damaged }
      offset = end
      return buffer
    }
  }

  func makeAsyncIterator() -> AsyncIterator { AsyncIterator(chunks: self, offset: range.lowerBound) }
}
