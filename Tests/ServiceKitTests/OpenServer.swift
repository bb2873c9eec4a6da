import Contracts
import CurlClient
import Foundation
import HTTPServing
import HTTPTypes
import HummingbirdCore
import NIOCore
import Persistence
import ServiceLifecycle
import Synchronization
import TestKit

@testable import ServiceKit

/// A listening server that answers `GET /open` with a response that stays open, and `GET /whole` with a whole one.
struct OpenServer: Sendable {
  /// The outcomes of the open responses.
  final class Record: Sendable {
    private let responses = Mutex<[OpenResponse]>([])
    let closures = Counter()

    /// In the order in which they began.
    var all: [OpenResponse] { responses.withLock { $0 } }

    fileprivate func add(_ response: OpenResponse) {
      responses.withLock { $0.append(response) }
      response.whenClosed { [closures] in closures.add() }
    }

    /// The response with a number, once it has begun.
    func response(_ number: Int = 0) async throws -> OpenResponse {
      try await eventually("response \(number) begins") { all.count > number }
      return all[number]
    }

    func closed(_ count: Int) async throws { try await eventually("\(count) closures") { closures.value >= count } }
  }

  let url: String
  let record: Record
  let dispatcher: Dispatcher
  private let group: ServiceGroup

  func shutDown() async { await group.triggerGracefulShutdown() }

  static func run(
    limits: ConnectionLimits = Self.patient,
    tls: Certificates.Pair? = nil,
    begin: @escaping @Sendable (OpenResponse) -> Void = { _ in },
    _ body: (OpenServer) async throws -> Void
  ) async throws {
    let record = Record()
    let dispatcher = dispatcher(record, begin)
    try await ListeningServer.run(dispatcher, limits: limits, tls: tls) { server in
      try await body(OpenServer(url: server.url, record: record, dispatcher: dispatcher, group: server.group))
    }
  }

  /// No deadline passes, except where a test sets it.
  static var patient: ConnectionLimits {
    var limits = ConnectionLimits()
    (limits.writeSeconds, limits.lingerSeconds) = (Waiting.limit, Waiting.limit)
    (limits.headSeconds, limits.answerSeconds, limits.idleSeconds) = (Waiting.limit, Waiting.limit, Waiting.limit)
    return limits
  }

  private static func dispatcher(_ record: Record, _ begin: @escaping @Sendable (OpenResponse) -> Void) -> Dispatcher {
    let open = Route(method: "GET", path: PathTemplate("/open")) { _, context in
      .open(headers: [.contentType: "text/event-stream"], context: context) { response in
        record.add(response)
        begin(response)
      }
    }
    let whole = Route(method: "GET", path: PathTemplate("/whole")) { _, _ in .text(.ok, "whole\n") }
    return ListeningServer.dispatcher([open, whole])
  }

  /// Sends a request on a connection of its own.
  func connect(_ request: String = Self.request) throws -> RawConnection {
    let connection = try RawConnection(to: url)
    connection.send(request)
    return connection
  }

  static let request = "GET /open HTTP/1.1\r\nHost: a\r\n\r\n"

  /// Opens a stream and returns it with its response.
  func stream(_ client: CurlClient) async throws -> ResponseStream {
    let response = try await client.send(
      ClientRequest(
        origin: url,
        target: "/open",
        delivery: .streaming,
        timeouts: .init(firstByte: Waiting.limit, total: nil)
      )
    )
    guard response.status == 200, case .stream(let stream) = response.body else {
      throw TestKitError("the request returned \(response.status)")
    }
    return stream
  }
}

extension ResponseStream {
  /// Reads to the end of the body; throws when the connection breaks before.
  func text() async throws -> String {
    var text = ""
    for try await chunk in self { text += String(buffer: chunk) }
    return text
  }
}

/// A chunked body (RFC 9112 §7.1) as its recipient reads it.
struct ChunkedBody {
  private(set) var text = ""
  /// Whether the last chunk was received, and nothing after it.
  private(set) var isComplete = false

  /// - Parameter response: The head and what follows it.
  init(of response: String) throws {
    guard let head = response.range(of: "\r\n\r\n") else { throw TestKitError("no head in \(response)") }
    var rest = Array(response[head.upperBound...].utf8)[...]
    while !rest.isEmpty {
      guard let end = rest.firstIndex(of: UInt8(ascii: "\r")),
        let size = Int(String(decoding: rest[..<end], as: UTF8.self), radix: 16), rest[end...].count >= size + 4
      else { return }
      let chunk = rest[(end + 2)...].prefix(size)
      guard rest[(end + 1)] == UInt8(ascii: "\n"), rest[chunk.endIndex...].starts(with: Array("\r\n".utf8)) else {
        throw TestKitError("not a chunk: \(String(decoding: rest.prefix(40), as: UTF8.self))")
      }
      text += String(decoding: chunk, as: UTF8.self)
      rest = rest[(chunk.endIndex + 2)...]
      if size == 0 {
        isComplete = rest.isEmpty
        return
      }
    }
  }
}
