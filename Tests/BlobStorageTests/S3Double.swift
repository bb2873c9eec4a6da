import BlobStorage
import CurlClient
import Foundation
import TestKit
import Testing

/// A running `moto` with an empty bucket.
struct S3Double: Decodable, Sendable {
  let url: String
  let accessKey: String
  let secretKey: String

  private static let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().path + "/s3_peer.py"

  /// - Parameter checked: Whether it accepts only requests with a field that signs them.
  static func running<Value>(checked: Bool = true, _ body: (S3Double) async throws -> Value) async throws -> Value {
    try await Python.running([script, "serve", checked ? "checked" : "unchecked"]) { lines in
      var iterator = lines.makeAsyncIterator()
      let line = try #require(await iterator.next())
      return try await body(JSONDecoder().decode(S3Double.self, from: Data(line.utf8)))
    }
  }

  func configuration(
    endpoint: String? = nil, prefix: String = "media/", secretKey: String? = nil, usesPathStyle: Bool = true
  ) throws -> S3Configuration {
    var configuration = try S3Configuration(
      endpoint: endpoint ?? url,
      region: "us-east-1",
      bucket: "blobs",
      prefix: prefix,
      usesPathStyle: usesPathStyle,
      credentials: S3Credentials(accessKey: accessKey, secretKey: secretKey ?? self.secretKey)
    )
    configuration.backoffSeconds = 0.01
    (configuration.stallSeconds, configuration.totalSeconds) = (Waiting.limit, Waiting.limit)
    return configuration
  }

  struct Listing: Decodable {
    var keys: [String]
    /// Uploads in parts that are neither complete nor aborted.
    var uploads: [String]
  }

  /// The listing that another client sees.
  func listing() async throws -> Listing {
    try JSONDecoder().decode(Listing.self, from: Data(try await boto3("list").utf8))
  }

  /// Runs a command of the other client.
  @discardableResult
  func boto3(_ command: String, _ arguments: String...) async throws -> String {
    try await Command.run([Python.path(), "-W", "ignore", Self.script, command, url, accessKey, secretKey] + arguments)
  }
}

/// The time of this machine, which the double also uses.
@Sendable func currentTime() -> Int64 { Int64(Date().timeIntervalSince1970) }

func withS3(
  checked: Bool = true,
  configure: @Sendable (inout S3Configuration) -> Void = { _ in },
  _ body: (S3Blobs, S3Double, TestFolder) async throws -> Void
) async throws {
  try await S3Double.running(checked: checked) { double in
    var configuration = try double.configuration()
    configure(&configuration)
    try await CurlClient.running { http in
      try await withTestFolder { folder in
        try await body(S3Blobs(configuration, http: http, now: currentTime), double, folder)
      }
    }
  }
}
