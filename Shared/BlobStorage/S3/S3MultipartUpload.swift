import Crypto
import CurlClient
import HTTPTypes

/// Stores a large file in parts; the object appears when all are there.
struct S3MultipartUpload: Sendable {
  private static let maxParts: Int64 = 10_000

  struct Part {
    let number: Int
    let tag: String
    let hash: BlobHash
  }

  let client: S3Client
  let path: String
  let bytes: Int64
  let hash: BlobHash

  private var key: String { client.configuration.key(of: hash) }
  private var usesChecksums: Bool { client.configuration.usesChecksums }

  /// - Throws: ``S3Failure``, ``BlobStorageError``.
  func run() async throws {
    let id = try await begin()
    do {
      try await complete(id, try await sendParts(id))
    } catch {
      // Also when this task has been canceled. What cannot be reached now is removed later with the unfinished.
      await Task { [self] in await abort(id) }.value
      throw error
    }
  }

  func begin() async throws -> String {
    var headers = [("content-type", "application/octet-stream")]
    if usesChecksums { headers.append(("x-amz-checksum-algorithm", "SHA256")) }
    let request = S3Request(method: .post, key: key, query: [("uploads", "")], headers: headers)
    let answer = try await client.element("InitiateMultipartUploadResult", of: request)
    guard let id = answer["UploadId"]?.text, !id.isEmpty else { throw S3Failure.invalidAnswer }
    return id
  }

  func sendParts(_ id: String) async throws -> [Part] {
    let size = max(client.configuration.partBytes, (bytes + Self.maxParts - 1) / Self.maxParts)
    var parts: [Part] = []
    var whole = SHA256()
    for start in stride(from: 0, to: bytes, by: Int64.Stride(size)) {
      let range = start..<min(start + size, bytes)
      let (soFar, path) = (whole, path)
      let hashes = try await client.run {
        var (whole, part) = (soFar, SHA256())
        try BlobFile.read(path, range) { bytes in
          whole.update(bufferPointer: bytes)
          part.update(bufferPointer: bytes)
        }
        return (whole: whole, part: BlobHash(part.finalize()))
      }
      whole = hashes.whole
      let number = parts.count + 1
      parts.append(Part(number: number, tag: try await send(range, number, hashes.part, id), hash: hashes.part))
    }
    // The store knows the hashes of the parts only.
    guard BlobHash(whole.finalize()) == hash else { throw BlobStorageError.damaged }
    return parts
  }

  private func send(_ range: Range<Int64>, _ number: Int, _ hash: BlobHash, _ id: String) async throws -> String {
    var request = S3Request(
      method: .put,
      key: key,
      query: [("partNumber", "\(number)"), ("uploadId", id)],
      body: .file(path: path, range: range, hash: hash)
    )
    if usesChecksums { request.headers.append(("x-amz-checksum-sha256", hash.base64)) }
    let response = try await client.send(request)
    try S3Checksum.check(response, hash)
    guard let tag = response.headers[.eTag] else { throw S3Failure.invalidAnswer }
    return tag
  }

  private func complete(_ id: String, _ parts: [Part]) async throws {
    let entries = parts.map { part in
      let checksum = usesChecksums ? "<ChecksumSHA256>\(part.hash.base64)</ChecksumSHA256>" : ""
      let tag = part.tag.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
      return "<Part><ETag>\(tag)</ETag>\(checksum)<PartNumber>\(part.number)</PartNumber></Part>"
    }
    let body =
      "<CompleteMultipartUpload xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">"
      + "\(entries.joined())</CompleteMultipartUpload>"
    let request = S3Request(
      method: .post,
      key: key,
      query: [("uploadId", id)],
      headers: [("content-type", "application/xml")],
      body: .bytes(Array(body.utf8))
    )
    do { _ = try await client.element("CompleteMultipartUploadResult", of: request) } catch let failure as S3Failure
      where failure.code == "NoSuchUpload"
    {
      // An earlier attempt may have succeeded although its answer was lost.
      let response = try await client.send(S3Request(method: .head, key: key))
      guard response.headers[.contentLength] == "\(bytes)" else { throw failure }
    }
  }

  private func abort(_ id: String) async {
    _ = try? await client.send(S3Request(method: .delete, key: key, query: [("uploadId", id)]))
  }

  // MARK: what processes that ended left behind

  static func abortAll(of client: S3Client, before time: Int64) async throws -> Int {
    let prefix = client.configuration.prefix
    var markers: [(name: String, value: String)] = []
    var count = 0
    while true {
      let query = [("uploads", ""), ("prefix", prefix)] + markers
      let answer = try await client.element("ListMultipartUploadsResult", of: S3Request(method: .get, query: query))
      for upload in answer.children where upload.name == "Upload" {
        guard let key = upload["Key"]?.text, key.hasPrefix(prefix), BlobHash(key.dropFirst(prefix.count)) != nil,
          let id = upload["UploadId"]?.text,
          let begunAt = (upload["Initiated"]?.text).flatMap({ S3Encoding.seconds(ofISO: $0) }), begunAt < time
        else { continue }
        do {
          _ = try await client.send(S3Request(method: .delete, key: key, query: [("uploadId", id)]))
          count += 1
        } catch let failure as S3Failure where failure.code == "NoSuchUpload" {
          // Another process has removed it.
        }
      }
      guard answer["IsTruncated"]?.text == "true", let key = answer["NextKeyMarker"]?.text,
        let id = answer["NextUploadIdMarker"]?.text
      else { return count }
      markers = [("key-marker", key), ("upload-id-marker", id)]
    }
  }
}
