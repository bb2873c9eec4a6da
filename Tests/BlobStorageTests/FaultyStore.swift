import BlobStorage
import CurlClient
import Foundation
import Synchronization
import TestKit

/// A server that answers the requests to a bucket as a test decides.
final class FaultyStore: Sendable {
  struct Request: Sendable {
    let head: String
    let body: [UInt8]

    /// Method and target.
    var line: String { head.split(separator: " ").prefix(2).joined(separator: " ") }
    var method: String { String(head.prefix { $0 != " " }) }
    var date: String? { field("x-amz-date") }

    var range: Range<Int>? {
      guard let match = field("range")?.wholeMatch(of: /bytes=([0-9]+)-([0-9]+)/), let first = Int(match.1),
        let last = Int(match.2)
      else { return nil }
      return first..<last + 1
    }

    func field(_ name: String) -> String? {
      let line = head.split(separator: "\r\n").first { $0.lowercased().hasPrefix("\(name):") }
      return line.map { $0.drop { $0 != ":" }.dropFirst().trimmingCharacters(in: .whitespaces) }
    }
  }

  enum Answer: Sendable {
    /// Status and further fields, with a body.
    case answer(String, String)
    /// A `HEAD` request of an object.
    case head(bytes: Int)
    /// A range, whose body may be shorter; then the connection ends.
    case part(Range<Int>, of: Int, body: [UInt8])
    /// A range of zeros, sent as fast as it is read; counts the bytes.
    case endless(Range<Int>, of: Int, Counter)
    /// None, until the client gives up.
    case nothing
    /// None; the connection ends.
    case lost

    static func status(_ status: String) -> Answer { .answer(status, "") }
  }

  private let server: ScriptedServer
  private let received: Log

  var origin: String { server.origin }
  var requests: [Request] { received.requests }

  private final class Log: Sendable {
    private let state = Mutex<[Request]>([])
    var requests: [Request] { state.withLock { $0 } }
    func add(_ request: Request) -> Int {
      state.withLock {
        $0.append(request)
        return $0.count
      }
    }
  }

  /// - Parameter answer: Is called with each request and its number, from 1.
  init(_ answer: @escaping @Sendable (Request, Int) -> Answer) throws {
    let received = Log()
    self.received = received
    server = try ScriptedServer { connection in
      while case let head = connection.readHead(), !head.isEmpty {
        let length = Request(head: head, body: []).field("content-length").flatMap { Int($0) } ?? 0
        let request = Request(head: head, body: connection.readBody(length))
        guard Self.send(answer(request, received.add(request)), to: request, connection) else { return }
      }
    }
  }

  func stop() { server.stop() }

  /// - Returns: Whether the connection stays open.
  private static func send(_ answer: Answer, to request: Request, _ connection: ScriptedServer.Connection) -> Bool {
    switch answer {
    case .answer(let status, let body):
      let body = request.method == "HEAD" ? "" : body
      return connection.write("HTTP/1.1 \(status)\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
    case .head(let bytes):
      return connection.write(
        "HTTP/1.1 200 OK\r\nContent-Length: \(bytes)\r\nLast-Modified: Fri, 20 Nov 2026 18:00:00 GMT\r\n\r\n")
    case .part(let range, let total, let body):
      connection.write(partHead(range, total))
      connection.write(body)
      return body.count == range.count
    case .endless(let range, let total, let sent):
      connection.write(partHead(range, total))
      let zeros = [UInt8](repeating: 0, count: 65_536)
      for _ in 0..<range.count / zeros.count {
        guard connection.write(zeros) else { return false }
        sent.add(zeros.count)
      }
      return true
    case .nothing:
      connection.waitForClose()
      return false
    case .lost:
      return false
    }
  }

  private static func partHead(_ range: Range<Int>, _ total: Int) -> String {
    "HTTP/1.1 206 Partial Content\r\nContent-Length: \(range.count)\r\n"
      + "Content-Range: bytes \(range.lowerBound)-\(range.upperBound - 1)/\(total)\r\n\r\n"
  }
}

/// Runs a body with storage whose store is faulty: three attempts, at 1,000 seconds after 1970, parts of 10 bytes.
/// - Parameter stallSeconds: How long the client waits for bytes, in seconds; longer than a busy machine needs.
func withFaults(
  stallSeconds: Double = 120,
  _ answer: @escaping @Sendable (FaultyStore.Request, Int) -> FaultyStore.Answer,
  _ body: (S3Blobs, FaultyStore, TestFolder) async throws -> Void
) async throws {
  let store = try FaultyStore(answer)
  defer { store.stop() }
  var configuration = try S3Configuration(
    endpoint: store.origin,
    region: "us-east-1",
    bucket: "blobs",
    credentials: S3Credentials(accessKey: "AKIA", secretKey: "secretKey")
  )
  configuration.attempts = 3
  configuration.backoffSeconds = 0.001
  configuration.stallSeconds = stallSeconds
  configuration.totalSeconds = 600
  configuration.partBytes = 10
  // An answer that breaks off is one failure or two, depending on whether its parts arrive together.
  var client = CurlClient.Configuration()
  client.breakerFailures = 0
  try await CurlClient.running(client) { http in
    try await withTestFolder { folder in
      try await body(S3Blobs(configuration, http: http) { 1000 }, store, folder)
    }
  }
}
