import Contracts
import HTTPTypes
import HummingbirdCore
import NIOCore
import Persistence
import ServiceKit

/// `GET /v1/events`: a user's events as server-sent events (WHATWG HTML). A reconnecting app sends the `id` of the last
/// event that it received as `Last-Event-ID` and misses no event of the last 24 hours.
struct EventStream: Sendable {
  let hub: StreamHub
  let database: any Database
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
        // Opened here and not earlier: a body that is never written would occupy its place forever.
        let signal = hub.open(user.id)
        defer { hub.close(signal, of: user.id) }
        // Registered with the hub before the log is read, so that no event is missed in between.
        let start = try await start(of: user.id, lastSeen: lastSeen)
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

  /// Where a stream starts.
  enum Start: Equatable, Sendable {
    case after(Int64)
    /// Missed events are no longer stored: the app must reload its data, and the stream continues after this number.
    case resync(Int64)
  }

  private func start(of user: UserID, lastSeen: Int64?) async throws -> Start {
    let (last, oldest) = try await database.read { db in try EventStore.range(of: user, in: db) }
    return Self.start(lastSeen: lastSeen, last: last, oldest: oldest)
  }

  /// - Parameter lastSeen: The number of the last event that the app has seen; `nil` for a new stream.
  static func start(lastSeen: Int64?, last: Int64, oldest: Int64?) -> Start {
    guard let lastSeen else { return .after(last) }
    if lastSeen == last { return .after(last) }
    let isKept = lastSeen < last && oldest.map { lastSeen >= $0 - 1 } ?? false
    return isKept ? .after(lastSeen) : .resync(last)
  }

  private func entries(of user: UserID, after sequence: Int64) async throws -> [EventStore.Entry] {
    try await database.read { db in try EventStore.list(of: user, after: sequence, in: db) }
  }

  private func write(
    from start: Start,
    of user: UserCaller,
    _ token: String,
    _ signal: StreamSignal,
    to writer: inout any ResponseBodyWriter
  ) async throws {
    var sequence: Int64
    switch start {
    case .after(let number):
      sequence = number
      // An id alone is no event, but the app resumes from it when it is disconnected before the first event.
      try await writer.write(ByteBuffer(string: "id: \(number)\nretry: 2000\n\n"))
    case .resync(let number):
      sequence = number
      try await writer.write(ByteBuffer(string: "retry: 2000\n\nid: \(number)\nevent: resync\ndata: {}\n\n"))
    }
    while true {
      // The log is also read on a keep-alive, because notifications may have been lost.
      while case let entries = try await entries(of: user.id, after: sequence), let last = entries.last {
        sequence = last.sequence
        try await writer.write(Self.frames(entries))
        // The end of the stream's own session is its last event.
        if entries.contains(where: { $0.name == "session.ended" && $0.data.contains(user.sessionID.rawValue) }) {
          return
        }
      }
      let signals = await signal.wait()
      if signals.contains(.end) { return }
      if signals.contains(.keepAlive) {
        // The stream ends when the token has expired or its session has ended.
        do { _ = try await tokens.verify(token[...]) } catch { return }
        if !signals.contains(.event) { try await writer.write(Self.keepAlive) }
      }
    }
  }

  private static let keepAlive = ByteBuffer(string: ": alive\n\n")

  private static func frames(_ entries: [EventStore.Entry]) -> ByteBuffer {
    var buffer = ByteBuffer()
    // The encoder writes no line breaks outside of strings, and inside they are escaped.
    for entry in entries {
      buffer.writeString("id: \(entry.sequence)\nevent: \(entry.name)\ndata: \(entry.data)\n\n")
    }
    return buffer
  }
}

extension HTTPField.Name {
  fileprivate static let lastEventID = HTTPField.Name("Last-Event-ID") ?? .ifMatch
}
