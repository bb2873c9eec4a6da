import CurlClient
import HTTPTypes
import NIOCore

/// A blob in a bucket.
struct S3Object: RemoteBlob {
  let client: S3Client
  let key: String
  let bytes: Int64

  func read(_ range: Range<Int64>) -> AsyncThrowingStream<[UInt8], any Error> {
    let reader = S3Reader(self, range.clamped(to: 0..<bytes))
    return AsyncThrowingStream { try await reader.next() }
  }

  func url(validFor seconds: Int, contentType: String?, disposition: String?) -> String {
    var query: [(name: String, value: String)] = []
    if let contentType { query.append(("response-content-type", contentType)) }
    if let disposition { query.append(("response-content-disposition", disposition)) }
    return client.presignedURL(of: key, query: query, validFor: seconds)
  }
}

/// Reads a range of an object; a connection that breaks is continued by a request for the rest.
private actor S3Reader {
  private let object: S3Object
  private var rest: Range<Int64>
  private var stream: ResponseStream?
  private var failures = 0

  init(_ object: S3Object, _ range: Range<Int64>) { (self.object, rest) = (object, range) }

  func next() async throws -> [UInt8]? {
    while !rest.isEmpty {
      let failure: S3Failure
      do {
        let chunk = try await nextChunk()
        guard chunk.count <= rest.count else { throw S3Failure.invalidAnswer }
        rest = rest.lowerBound + Int64(chunk.count)..<rest.upperBound
        failures = 0
        return chunk
      } catch let error as S3Failure {
        failure = error
      }
      stream = nil
      failures += 1
      do { try await object.client.waitToRepeat(after: failure, attempt: failures) } catch let failure as S3Failure {
        throw failure.error
      }
    }
    return nil
  }

  private func nextChunk() async throws -> [UInt8] {
    guard let stream else { return try await open() }
    do {
      if let chunk = try await stream.makeAsyncIterator().next() { return Array(chunk.readableBytesView) }
    } catch let error as ClientError {
      if error.reason == .cancelled { throw CancellationError() }
      throw S3Failure(error)
    }
    throw S3Failure(.unavailable("the answer ended early"), isTransient: true)
  }

  /// Requests the rest and returns its first chunk.
  private func open() async throws -> [UInt8] {
    let last = rest.upperBound - 1
    let request = S3Request(
      method: .get, key: object.key, headers: [("range", "bytes=\(rest.lowerBound)-\(last)")], streamed: rest.count)
    let response: ClientResponse
    // It was repeated already.
    do { response = try await object.client.send(request) } catch let failure as S3Failure { throw failure.error }
    let range = response.headers[.contentRange]
    let isWhole = response.status == 200 && rest == 0..<object.bytes
    guard isWhole || range == "bytes \(rest.lowerBound)-\(last)/\(object.bytes)" else { throw S3Failure.invalidAnswer }
    switch response.body {
    case .bytes(let bytes):
      guard bytes.readableBytes == rest.count else { throw S3Failure.invalidAnswer }
      return Array(bytes.readableBytesView)
    case .stream(let opened):
      stream = opened
      return try await nextChunk()
    }
  }
}
