import Contracts
import CurlClient
import Foundation
import HTTPServing
import HTTPTypes
import HummingbirdCore
import NIOCore
import Synchronization
import TestKit

@testable import ServiceKit

/// A listening server that answers GET, HEAD and POST of any name with the stored content of that name.
struct DownloadServer: Sendable {
  let url: String
  let dispatcher: Dispatcher

  static func run(
    _ contents: [String: StoredContent], limits: ConnectionLimits = OpenServer.patient,
    tls: Certificates.Pair? = nil, _ body: (DownloadServer) async throws -> Void
  ) async throws {
    let routes = ["GET", "POST"].map { method in
      Route(method: method, path: PathTemplate("/{name}")) { request, context in
        guard let content = contents[context.parameters["name"] ?? ""] else { throw Problem(.notFound) }
        return try await .stored(content, to: request)
      }
    }
    let dispatcher = ListeningServer.dispatcher(routes)
    try await ListeningServer.run(dispatcher, limits: limits, tls: tls) { server async throws in
      try await body(DownloadServer(url: server.url, dispatcher: dispatcher))
    }
  }

  /// Sends a request on a connection of its own and reads the response.
  func send(_ name: String, _ headers: [String] = [], method: String = "GET") async throws -> RawResponse {
    let connection = try RawConnection(to: url)
    connection.send(Self.head(name, headers + ["Connection: close"], method: method))
    return try RawResponse(await connection.receiveAll())
  }

  static func head(_ name: String, _ headers: [String] = [], method: String = "GET") -> String {
    (["\(method) /\(name) HTTP/1.1", "Host: a"] + headers).map { "\($0)\r\n" }.joined() + "\r\n"
  }

  /// Requests a range by a client that keeps its connections.
  func get(_ name: String, range: String? = nil, by client: CurlClient) async throws -> (status: Int, body: ByteBuffer)
  {
    var headers: HTTPFields = [:]
    headers[.range] = range
    let response = try await client.send(
      ClientRequest(origin: url, target: "/\(name)", headers: headers, responseLimit: 1 << 30))
    guard case .bytes(let body) = response.body else { throw TestKitError("the response is a stream") }
    return (response.status, body)
  }
}

extension StoredContent {
  /// A text in memory with the tag `"text"`, modified at the time of RFC 9110's example.
  static func text(_ text: String) -> StoredContent {
    StoredContent(
      mediaType: "text/plain", length: text.utf8.count, tag: EntityTag(digest: "text"),
      modifiedAt: Timestamp(microseconds: 784_111_777_000_000), source: .bytes(Array(text.utf8)))
  }

  static func file(_ path: String, length: Int, holding held: (any Sendable)? = nil) -> StoredContent {
    StoredContent(
      mediaType: "application/octet-stream", length: length, tag: EntityTag(digest: "file"),
      source: .file(path: path, holding: held))
  }
}

/// A file of random bytes, in a folder of the test.
func randomFile(_ count: Int, in folder: String, _ generator: inout SeededGenerator) throws -> (
  path: String, bytes: [UInt8]
) {
  let bytes = (0..<count / 8).flatMap { _ in withUnsafeBytes(of: generator.next()) { Array($0) } }
  let path = "\(folder)/random"
  try Data(bytes).write(to: URL(fileURLWithPath: path))
  return (path, bytes)
}
