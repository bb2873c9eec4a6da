import AuthService
import Contracts
import CurlClient
import Foundation
import HTTPTypes
import NIOCore
import Persistence
import ServiceKit
import TestKit

@testable import GatewayService

/// Opens streams of server-sent events as an app does.
struct StreamReader {
  let client: CurlClient
  let url: String
  let token: String

  func open(_ topics: [Topic] = [], lastSeen: Int64? = nil) async throws -> OpenedStream {
    var headers: HTTPFields = [.authorization: "Bearer \(token)", .accept: "text/event-stream"]
    if let lastSeen, let name = HTTPField.Name("Last-Event-ID") { headers[name] = "\(lastSeen)" }
    let query = topics.isEmpty ? "" : "?topics=" + topics.map(\.rawValue).joined(separator: ",")
    let response = try await client.send(
      ClientRequest(
        origin: url, target: "/v1/events" + query, headers: headers, delivery: .streaming,
        timeouts: .init(firstByte: Waiting.limit, total: nil)
      )
    )
    guard response.status == 200, case .stream(let stream) = response.body else {
      throw TestKitError("the stream request returned \(response.status)")
    }
    return OpenedStream(stream, lastSeen: lastSeen)
  }

  /// Opens a stream and reads what it follows; from then on, nothing is missed.
  func follow(_ topics: [Topic] = [], lastSeen: Int64? = nil) async throws -> (OpenedStream, FollowedTopics) {
    let stream = try await open(topics, lastSeen: lastSeen)
    return (stream, try await stream.topics())
  }
}

/// A stream, read frame by frame. The connection ends with the last reference.
final class OpenedStream {
  struct Frame: Equatable {
    var id: Int64?
    var name: String?
    var data: String

    /// - Parameter text: Without the empty line at its end.
    init(_ text: some StringProtocol) {
      var fields: [String: String] = [:]
      for line in text.split(separator: "\n") {
        let parts = line.split(separator: ":", maxSplits: 1).map { String($0) }
        if parts.count == 2 { fields[parts[0]] = parts[1].trimmingCharacters(in: .whitespaces) }
      }
      (id, name, data) = (fields["id"].flatMap { Int64($0) }, fields["event"], fields["data"] ?? "")
    }
  }

  private let stream: ResponseStream
  private var rest = ""
  /// The value that the app would send as `Last-Event-ID`.
  private(set) var lastSeen: Int64?

  init(_ stream: ResponseStream, lastSeen: Int64?) { (self.stream, self.lastSeen) = (stream, lastSeen) }

  /// The next frame, also one without an event; `nil` at the end of the stream.
  func nextFrame() async throws -> Frame? {
    while true {
      if let end = rest.range(of: "\n\n") {
        let frame = Frame(rest[..<end.lowerBound])
        rest.removeSubrange(..<end.upperBound)
        lastSeen = frame.id ?? lastSeen
        return frame
      }
      guard let chunk = try await stream.makeAsyncIterator().next() else { return nil }
      rest += String(buffer: chunk)
    }
  }

  /// The next event, of which there must be one.
  func next() async throws -> Frame {
    while let frame = try await nextFrame() { if frame.name != nil { return frame } }
    throw TestKitError("the stream ended early")
  }

  /// Reads up to an event of that name.
  func events(until name: String) async throws -> [Frame] {
    var events: [Frame] = []
    repeat { events.append(try await next()) } while events.last?.name != name
    return events
  }

  /// Reads up to the next event `topics`.
  func topics() async throws -> FollowedTopics {
    let event = try await events(until: "topics").last
    return try WireJSON.decode(FollowedTopics.self, from: (event?.data ?? "").utf8)
  }

  /// Reads up to the end of the stream.
  func readToEnd() async throws -> [Frame] {
    var frames: [Frame] = []
    while let frame = try await nextFrame() { frames.append(frame) }
    return frames
  }
}

/// Delivers events to the gateway as the relay of a service does: of users as auth, of topics as their owner.
struct EventSource {
  let test: TestPlatform

  func send(_ event: some Event, id: String = UUID().uuidString, as sender: String? = nil) async throws {
    let sender = sender ?? (event is TopicEvent || event is TopicAccessEnded ? RoomsPlugin.API.name : AuthAPI.name)
    try await test.deliver(event, id: id, from: sender, to: GatewayAPI.self)
  }
}

extension TestPlatform {
  var events: EventSource { EventSource(test: self) }

  /// The gateway's streams.
  var realtime: Realtime {
    get throws {
      for case let realtime as Realtime in try plugin(GatewayPlugin.self).features { return realtime }
      throw TestKitError("the gateway has no streams")
    }
  }

  func guest() async throws -> Authentication { try await client.send(AuthAPI.SignInAsGuest()) }

  /// The log of a subject.
  func log(of subject: LoggedEvent.Subject) async throws -> [LoggedEvent] {
    try await database(of: GatewayAPI.self).read { db in
      try EventLogStore.list(of: [subject], after: 0, through: .max, limit: 100_000, in: db)
    }
  }
}
