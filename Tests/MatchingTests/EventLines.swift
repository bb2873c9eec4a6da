import Contracts
import Foundation
import TestKit

/// A stream of server-sent events, read from a socket.
final class EventLines {
  struct Event: Equatable {
    var name: String
    var data: String
  }

  private let connection: RawConnection
  private var received = ""
  private var takenCount = 0

  /// Opens a stream and waits until it follows the topics.
  init(_ topics: [Topic], of user: TestUser, at web: TestPlatform.Web) async throws {
    connection = try RawConnection(to: web.url)
    connection.send(
      """
      GET /v1/events?topics=\(topics.map(\.rawValue).joined(separator: ",")) HTTP/1.1\r
      Host: test\r
      Accept: text/event-stream\r
      Authorization: Bearer \(user.token)\r
      \r

      """
    )
    let followed = try await self.topics()
    guard followed.topics.sorted(by: { $0.rawValue < $1.rawValue }) == topics.sorted(by: { $0.rawValue < $1.rawValue })
    else { throw TestKitError("the stream follows \(followed.topics)") }
  }

  func next() async throws -> Event {
    while true {
      let events = completeEvents()
      if takenCount < events.count {
        takenCount += 1
        return events[takenCount - 1]
      }
      let text = await connection.receive(until: "\n\n")
      if text.isEmpty { throw TestKitError("the stream ended early: \(received.suffix(500))") }
      received += text
    }
  }

  /// Skips others up to an event of that name.
  func next(_ name: String) async throws -> Event {
    while true {
      let event = try await next()
      if event.name == name { return event }
    }
  }

  /// The topics that the stream follows after its next change.
  func topics() async throws -> FollowedTopics {
    try WireJSON.decode(FollowedTopics.self, from: try await next("topics").data.utf8)
  }

  private func completeEvents() -> [Event] {
    var events: [Event] = []
    var (name, data): (String?, String) = (nil, "")
    let lines = received.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for line in lines.dropLast() {
      // Frames are written whole: lines that end with CR LF are the response's head and the sizes of chunks.
      if line.last == UInt8(ascii: "\r") { continue }
      let text = String(decoding: line, as: UTF8.self)
      if text.isEmpty {
        if let name { events.append(Event(name: name, data: data)) }
        (name, data) = (nil, "")
      } else if text.hasPrefix("event: ") {
        name = String(text.dropFirst(7))
      } else if text.hasPrefix("data: ") {
        data = String(text.dropFirst(6))
      }
    }
    return events
  }
}
