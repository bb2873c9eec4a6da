import Crypto
public import CurlClient
import Foundation
import HTTPTypes

/// Blobs in a bucket of an S3-compatible store: the key of a blob is its hash after a prefix.
///
/// The credentials need `s3:GetObject`, `s3:PutObject`, `s3:DeleteObject`, `s3:ListBucket`,
/// `s3:ListBucketMultipartUploads` and `s3:AbortMultipartUpload`. Source: Amazon S3 API reference, 2006-03-01.
public struct S3Blobs: BlobStorage {
  let client: S3Client
  private var configuration: S3Configuration { client.configuration }

  /// - Parameter now: Seconds since 1970. When the store's clock differs, the store's is used.
  public init(_ configuration: S3Configuration, http: CurlClient, now: @escaping @Sendable () -> Int64) {
    client = S3Client(configuration, http: http, now: now)
  }

  // MARK: storing

  public func store(fileAt path: String, as hash: BlobHash) async throws {
    try await reporting {
      let bytes = try await client.run { try BlobFile.size(path) }
      guard let bytes else { throw BlobStorageError.notFound }
      if try await storedBytes(of: hash) == bytes { return }
      if bytes > configuration.partBytes {
        try await S3MultipartUpload(client: client, path: path, bytes: bytes, hash: hash).run()
      } else {
        try await put(path, bytes, hash)
      }
    }
  }

  private func put(_ path: String, _ bytes: Int64, _ hash: BlobHash) async throws {
    var request = S3Request(
      method: .put,
      key: configuration.key(of: hash),
      headers: [("content-type", "application/octet-stream")],
      body: .file(path: path, range: 0..<bytes, hash: hash)
    )
    if configuration.usesChecksums { request.headers.append(("x-amz-checksum-sha256", hash.base64)) }
    let response = try await client.send(request)
    try S3Checksum.check(response, hash)
  }

  // MARK: reading

  public func size(of hash: BlobHash) async throws -> Int64? {
    try await reporting { try await storedBytes(of: hash) }
  }

  public func content(of hash: BlobHash) async throws -> BlobContent {
    guard let bytes = try await size(of: hash) else { throw BlobStorageError.notFound }
    return .object(S3Object(client: client, key: configuration.key(of: hash), bytes: bytes))
  }

  private func storedBytes(of hash: BlobHash) async throws -> Int64? {
    let response: ClientResponse
    do { response = try await client.send(S3Request(method: .head, key: configuration.key(of: hash))) } catch let
      failure as S3Failure where failure.error == .notFound
    { return nil }
    guard let bytes = response.headers[.contentLength].flatMap({ Int64($0) }), bytes >= 0 else {
      throw S3Failure.invalidAnswer
    }
    return bytes
  }

  public func list(after hash: BlobHash?, limit: Int) async throws -> [StoredBlob] {
    try await reporting {
      var found: [StoredBlob] = []
      var last = hash.map { configuration.key(of: $0) }
      while found.count < limit {
        let page = try await objects(after: last, limit: min(limit - found.count, 1000))
        found += page.objects.compactMap(\.blob)
        guard page.isTruncated, let next = page.objects.last?.key else { break }
        last = next
      }
      return found
    }
  }

  private func objects(after key: String?, limit: Int) async throws -> (
    objects: [(key: String, blob: StoredBlob?)], isTruncated: Bool
  ) {
    var query = [("list-type", "2"), ("max-keys", "\(limit)"), ("prefix", configuration.prefix)]
    if let key { query.append(("start-after", key)) }
    let answer = try await client.element("ListBucketResult", of: S3Request(method: .get, query: query))
    let objects = answer.children.filter { $0.name == "Contents" }.map { element -> (String, StoredBlob?) in
      let key = element["Key"]?.text ?? ""
      // Other objects with the prefix are not ours.
      guard key.hasPrefix(configuration.prefix), let hash = BlobHash(key.dropFirst(configuration.prefix.count)),
        let bytes = (element["Size"]?.text).flatMap({ Int64($0) })
      else { return (key, nil) }
      return (key, StoredBlob(hash: hash, bytes: bytes))
    }
    return (objects, answer["IsTruncated"]?.text == "true")
  }

  // MARK: removing

  public func remove(_ hash: BlobHash) async throws {
    try await reporting {
      _ = try await client.send(S3Request(method: .delete, key: configuration.key(of: hash)))
    }
  }

  @discardableResult
  public func removeUnfinished(before time: Int64) async throws -> Int {
    try await reporting { try await S3MultipartUpload.abortAll(of: client, before: time) }
  }

  private func reporting<Value>(_ body: () async throws -> Value) async throws -> Value {
    do { return try await body() } catch let failure as S3Failure { throw failure.error }
  }
}

/// The SHA-256 that a store has computed.
enum S3Checksum {
  static func check(_ response: ClientResponse, _ hash: BlobHash) throws {
    guard let name = HTTPField.Name("x-amz-checksum-sha256"), let checksum = response.headers[name] else { return }
    guard checksum == hash.base64 else { throw S3Failure(.damaged) }
  }
}

extension S3Client {
  /// The root of an answer in XML.
  func element(_ name: String, of request: S3Request) async throws -> S3Element {
    var attempt = 1
    while true {
      let response = try await send(request)
      let body = try await response.body.collect(upTo: 4 << 20)
      if let element = S3Element(body), element.name == name { return element }
      // An error after the head was sent.
      let isError = S3Element(body)?.name == "Error"
      let failure = isError ? S3Failure(status: 500, body: body, date: nil) : S3Failure.invalidAnswer
      try await waitToRepeat(after: failure, attempt: attempt)
      attempt += 1
    }
  }
}
