import Foundation
import TestKit
import Testing

@testable import BlobStorage

/// botocore, the library of AWS's own clients, signs the same requests.
struct S3SignerTests {
  private struct Case: Decodable {
    var method: String
    var endpoint: String
    var key: String
    var query: [[String]]
    var fields: [[String]]
    var seconds: Int64
    var duration: Int
    var region: String
    var accessKey: String
    var secretKey: String
    var token: String?
    var payloadHash: String
    var date: String
    var authorization: String
    var path: String
    var presignedQuery: String

    var signer: S3Signer {
      S3Signer(
        credentials: S3Credentials(accessKey: accessKey, secretKey: secretKey, sessionToken: token), region: region)
    }

    func parts() throws -> S3Signer.Parts {
      let configuration = try S3Configuration(
        endpoint: endpoint,
        region: region,
        bucket: "unused",
        credentials: S3Credentials(accessKey: accessKey, secretKey: secretKey)
      )
      return S3Signer.Parts(
        method: method,
        host: String(configuration.endpoint.split(separator: "/")[1]),
        path: "/" + S3Encoding.path(key),
        query: query.map { ($0[0], $0[1]) },
        headers: fields.map { ($0[0], $0[1]) }
      )
    }
  }

  @Test func signaturesAreThoseOfBotocore() async throws {
    let generator = SeededGenerator()
    let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().path + "/s3_signatures.py"
    let output = try await Command.run([Python.path(), script, "\(generator.seed)", "10000"])
    let lines = output.split(separator: "\n")
    #expect(lines.count == 10_000)
    for line in lines {
      let theirs = try JSONDecoder().decode(Case.self, from: Data(line.utf8))
      let parts = try theirs.parts()
      let fields = theirs.signer.fields(for: parts, payloadHash: theirs.payloadHash, at: theirs.seconds)
      try #require(parts.path == theirs.path, "\(generator)")
      try #require(fields.first { $0.name == "x-amz-date" }?.value == theirs.date, "\(generator)")
      try #require(fields.first { $0.name == "x-amz-security-token" }?.value == theirs.token, "\(generator)")
      try #require(fields.first { $0.name == "authorization" }?.value == theirs.authorization, "\(generator): \(line)")
      let query = theirs.signer.presignedQuery(for: parts, validFor: theirs.duration, at: theirs.seconds)
      try #require(query == theirs.presignedQuery, "\(generator): \(line)")
    }
  }

  /// The example of "Signature Calculations for the Authorization Header", Amazon S3 API reference.
  @Test func theDocumentedExampleIsSigned() {
    let signer = S3Signer(
      credentials: S3Credentials(
        accessKey: "AKIAIOSFODNN7EXAMPLE", secretKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"),
      region: "us-east-1"
    )
    let parts = S3Signer.Parts(
      method: "GET", host: "examplebucket.s3.amazonaws.com", path: "/test.txt", headers: [("Range", "bytes=0-9")])
    let hash = BlobHash(of: []).description
    let fields = signer.fields(for: parts, payloadHash: hash, at: 1_369_353_600)
    #expect(
      fields.last?.value == "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, "
        + "SignedHeaders=host;range;x-amz-content-sha256;x-amz-date, "
        + "Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41")
  }
}
