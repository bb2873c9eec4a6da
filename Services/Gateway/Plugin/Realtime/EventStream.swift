import Contracts
import HTTPTypes
import HummingbirdCore
import NIOCore
import ServiceKit

/// `GET /v1/events`: a user's events as they come, by the WHATWG's server-sent events. An app that was cut off sends the
/// `id` of the last event it has seen as `Last-Event-ID` and misses nothing of the last 24 hours.
struct EventStream: Sendable {
  let hub: StreamHub
  let log: EventLog
  let tokens: TokenVerifier

  func open(_ request: Request) async throws -> Response {
    guard let token = BearerToken.read(request.headers[values: .authorization]) else { throw Problem(.tokenMissing) }
    let user = try await tokens.verify(token)
    guard !user.isClient else { throw Problem(.forbidden) }
    let lastSeen = try Self.lastSeen(request.headers[.lastEventID])
    try hub.checkRoom()
    return Response(
      status: .ok,
      headers: [.contentType: "text/event-stream", .cacheControl: "no-store, no-transform"],
      body: ResponseBody { writer in
        // Opened here and not before: a body that nobody wants is never written, and would keep its place for ever.
        let signal = hub.open(user.id)
        defer { hub.close(signal, of: user.id) }
        // Known to the hub before the log is read, so that nothing can come between.
        let start = try await log.start(of: user.id, lastSeen: lastSeen)
        try await write(from: start, of: user, String(token), signal, to: &writer)
        try await writer.finish(nil)
      }
    )
  }

  private static func lastSeen(_ header: String?) throws -> Int64? {
    guard let header, !header.isEmpty else { return nil }
    guard let sequence = Int64(header), sequence >= 0 else {
      throw Problem(
        .malformedRequest,
        errors: [.init(location: "header.Last-Event-ID", message: "must be the id of an event")]
      )
    }
    return sequence
  }

  private func write(
    from start: EventLog.Start,
    of user: UserCaller,
    _ token: String,
    _ signal: StreamSignal,
    to writer: inout any ResponseBodyWriter
  ) async throws {
    var sequence: Int64
    switch start {
    case .after(let number):
      sequence = number
      // The id alone makes no event, but the app continues there when it is cut off before the first one.
      try await writer.write(ByteBuffer(string: "id: \(number)\nretry: 2000\n\n"))
    case .resync(let number):
      sequence = number
      try await writer.write(ByteBuffer(string: "retry: 2000\n\nid: \(number)\nevent: resync\ndata: {}\n\n"))
    }
    while true {
      // Also when it only has to show that it lives: what tells of news may have been interrupted.
      while case let entries = try await log.entries(of: user.id, after: sequence), let last = entries.last {
        sequence = last.sequence
        try await writer.write(Self.frames(entries))
        // The session's own end is the last thing that it is told.
        if entries.contains(where: { $0.name == "session.ended" && $0.data.contains(user.sessionID.rawValue) }) {
          return
        }
      }
      let signals = await signal.wait()
      if signals.contains(.end) { return }
      if signals.contains(.keepAlive) {
        // A token that has expired, or whose session has ended, is told nothing more.
        do { _ = try await tokens.verify(token[...]) } catch { return }
        if !signals.contains(.event) { try await writer.write(Self.keepAlive) }
      }
    }
  }

  private static let keepAlive = ByteBuffer(string: ": alive\n\n")

  private static func frames(_ entries: [EventLog.Entry]) -> ByteBuffer {
    var buffer = ByteBuffer()
    // JSON has no line breaks outside of strings as we write it, and inside they are escaped.
    for entry in entries {
      buffer.writeString("id: \(entry.sequence)\nevent: \(entry.name)\ndata: \(entry.data)\n\n")
    }
    return buffer
  }
}

extension HTTPField.Name {
  fileprivate static let lastEventID = HTTPField.Name("Last-Event-ID") ?? .ifMatch
}
