import Contracts
import CurlClient
import Foundation
import HTTPTypes
import ServiceKit

/// A meeting that Zoom is asked to create (developers.zoom.us/docs/api/meetings).
struct ZoomMeetingForm: Encodable, Sendable {
  struct Settings: Encodable, Sendable {
    // Participants enter when the host has started, without each being admitted.
    var joinBeforeHost = false
    var waitingRoom = false
    var muteUponEntry = true
    /// No registration.
    var approvalType = 2
    var autoRecording = "none"

    private enum CodingKeys: String, CodingKey {
      case joinBeforeHost = "join_before_host"
      case waitingRoom = "waiting_room"
      case muteUponEntry = "mute_upon_entry"
      case approvalType = "approval_type"
      case autoRecording = "auto_recording"
    }
  }

  var topic: String
  /// Scheduled, also if it starts now: Zoom does not list instant meetings.
  var type = 2
  /// RFC 3339 in UTC without fractions.
  var startTime: String
  var duration: Int
  var timezone = "UTC"
  var agenda: String
  var settings = Settings()

  private enum CodingKeys: String, CodingKey {
    case topic, type, duration, timezone, agenda, settings
    case startTime = "start_time"
  }
}

struct ZoomMeeting: Decodable, Sendable {
  var id: Int64
  var joinURL: String?
  /// Signs the host in; never stored.
  var startURL: String?
  var agenda: String?
  /// `waiting` or `started`.
  var status: String?

  private enum CodingKeys: String, CodingKey {
    case id, agenda, status
    case joinURL = "join_url"
    case startURL = "start_url"
  }

  var isLive: Bool { status == "started" }
}

/// A client of Zoom's API, within its rate limits.
struct ZoomClient: Sendable {
  private let http: CurlClient
  private let origin: String
  private let tokens: ZoomTokens
  private let pace: ZoomPace
  private let time: TimeSource

  static let timeouts = ClientRequest.Timeouts(firstByte: 8, total: 10)
  /// The meetings that are looked through for one; a user of Zoom can create 100 a day.
  private static let (pageSize, maxPages) = (300, 8)

  init(http: CurlClient, origin: String, tokens: ZoomTokens, pace: ZoomPace, time: TimeSource) {
    (self.http, self.origin, self.tokens, self.pace, self.time) = (http, origin, tokens, pace, time)
  }

  /// Creates a meeting; its request has been counted already.
  func create(_ form: ZoomMeetingForm, for user: String) async throws(ZoomError) -> ZoomMeeting {
    let body: [UInt8]
    do { body = try WireJSON.encode(form) } catch { throw .notSent("\(error)") }
    return try Self.decode(try await call(.post, "/v2/users/\(PercentCoding.encode(user))/meetings", body))
  }

  func get(_ id: Int64) async throws(ZoomError) -> ZoomMeeting {
    try await pace.take(.light)
    return try Self.decode(try await call(.get, "/v2/meetings/\(id)"))
  }

  /// The scheduled meetings of a user whose agenda begins with a marker.
  func find(_ marker: String, of user: String) async throws(ZoomError) -> [ZoomMeeting] {
    struct Answer: Decodable {
      var meetings: [ZoomMeeting]
      var next: String?
      private enum CodingKeys: String, CodingKey {
        case meetings
        case next = "next_page_token"
      }
    }
    let path = "/v2/users/\(PercentCoding.encode(user))/meetings?type=scheduled&page_size=\(Self.pageSize)"
    var (found, next): ([ZoomMeeting], String) = ([], "")
    for _ in 0..<Self.maxPages {
      try await pace.take(.medium)
      let page = next.isEmpty ? "" : "&next_page_token=\(PercentCoding.encode(next))"
      let answer: Answer = try Self.decode(try await call(.get, path + page))
      found += answer.meetings.filter { $0.agenda?.hasPrefix(marker) == true }
      next = answer.next ?? ""
      if next.isEmpty { return found }
    }
    throw .notSent("the user of Zoom has more than \(Self.pageSize * Self.maxPages) meetings")
  }

  /// Ends a meeting for everyone; nothing happens when it is not live.
  func end(_ id: Int64) async throws(ZoomError) {
    try await pace.take(.light)
    do {
      _ = try await call(.put, "/v2/meetings/\(id)/status", Array(#"{"action":"end"}"#.utf8))
    } catch {
      switch error {
      case .refused, .notFound: return
      case .notSent, .limited, .unknown: throw error
      }
    }
  }

  /// Deletes a meeting that is not live; nothing happens when there is none.
  func delete(_ id: Int64) async throws(ZoomError) {
    try await pace.take(.light)
    do {
      _ = try await call(.delete, "/v2/meetings/\(id)")
    } catch {
      if case .notFound = error { return }
      throw error
    }
  }

  // MARK: requests

  private func call(_ method: HTTPRequest.Method, _ path: String, _ body: [UInt8]? = nil) async throws(ZoomError)
    -> [UInt8]
  {
    let token = try await tokens.current()
    let (status, answer, headers) = try await send(method, path, body, token)
    guard status == 401 else { return try Self.checked(status, answer, headers, at: time.now()) }
    // Zoom may end a token early, for instance when the app's scopes change.
    tokens.reject(token)
    let (again, second, fields) = try await send(method, path, body, tokens.current())
    guard again != 401 else { throw .notSent("Zoom does not accept its own token") }
    return try Self.checked(again, second, fields, at: time.now())
  }

  private func send(_ method: HTTPRequest.Method, _ path: String, _ body: [UInt8]?, _ token: String)
    async throws(ZoomError) -> (Int, [UInt8], HTTPFields)
  {
    var headers: HTTPFields = [.authorization: "Bearer \(token)"]
    if body != nil { headers[.contentType] = "application/json" }
    let request = ClientRequest(
      method, origin: origin, target: path, headers: headers, body: body.map { .bytes($0) } ?? .none,
      timeouts: Self.timeouts, isRepeatable: method == .get)
    do {
      let response = try await http.execute(request)
      return (response.status, try await response.body.collect(upTo: 8 << 20), response.headers)
    } catch let error as ClientError {
      throw error.mayHaveRun ? .unknown(error.description) : .notSent(error.description)
    } catch {
      throw .unknown("\(error)")
    }
  }

  /// Sends a request as it is.
  static func exchange(_ request: ClientRequest, _ http: CurlClient) async throws(ZoomError) -> (Int, [UInt8]) {
    do {
      let response = try await http.execute(request)
      return (response.status, try await response.body.collect(upTo: 1 << 20))
    } catch {
      throw .notSent("\(error)")
    }
  }

  private struct Failure: Decodable { var code: Int? }

  private static let noSuchMeeting = 3001
  /// The app lacks a scope, which the operator can add.
  private static let scopeMissing = 4711

  private static func checked(_ status: Int, _ body: [UInt8], _ headers: HTTPFields, at now: Timestamp)
    throws(ZoomError) -> [UInt8]
  {
    if (200..<300).contains(status) { return body }
    if status == 429 { throw .limited(seconds: pause(headers[.retryAfter], at: now)) }
    guard (400..<500).contains(status) else { throw .unknown("status \(status)") }
    let code = (try? WireJSON.decode(Failure.self, from: body))?.code ?? 0
    if status == 403 || code == scopeMissing { throw .notSent("the app may not do this, code \(code)") }
    // With other codes, the status concerns the user of Zoom.
    if code == noSuchMeeting { throw .notFound }
    throw .refused(status: status, code: code)
  }

  /// The header holds seconds, or the time at which a daily limit ends.
  static func pause(_ header: String?, at now: Timestamp) -> Int {
    let moment = header.flatMap { Timestamp($0) }.map { Int($0.seconds(since: now).rounded(.up)) }
    return min(86_400, max(1, header.flatMap { Int($0) } ?? moment ?? 60))
  }

  private static func decode<Answer: Decodable>(_ body: [UInt8]) throws(ZoomError) -> Answer {
    // The effect of a success that cannot be read is unknown.
    do { return try WireJSON.decode(Answer.self, from: body) } catch { throw .unknown("an unreadable answer") }
  }
}
