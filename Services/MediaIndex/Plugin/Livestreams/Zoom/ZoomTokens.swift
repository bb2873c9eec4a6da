import Contracts
import CurlClient
import Foundation
import HTTPTypes
import ServiceKit
import Synchronization

/// Access tokens of Zoom's server-to-server OAuth (developers.zoom.us/docs/internal-apps/s2s-oauth): valid for an hour,
/// requested again shortly before their end, by one request for all callers who wait.
final class ZoomTokens: Sendable {
  struct Credentials: Sendable {
    var accountID: String
    var clientID: String
    var clientSecret: String
  }

  private struct Token: Sendable {
    var text: String
    var until: Timestamp
  }

  private struct State {
    var token: Token?
    var request: Task<String, any Error>?
  }

  /// How long before its end a token is no longer used, in seconds.
  private static let margin = 120.0

  private let http: CurlClient
  private let origin: String
  private let credentials: Credentials
  private let time: TimeSource
  private let state = Mutex(State())

  init(http: CurlClient, origin: String, credentials: Credentials, time: TimeSource) {
    (self.http, self.origin, self.credentials, self.time) = (http, origin, credentials, time)
  }

  func current() async throws(ZoomError) -> String {
    let now = time.now()
    let (known, request) = state.withLock { state -> (String?, Task<String, any Error>?) in
      if let token = state.token, token.until > now { return (token.text, nil) }
      if let request = state.request { return (nil, request) }
      let request = Task { try await self.refresh() }
      state.request = request
      return (nil, request)
    }
    if let known { return known }
    do {
      return try await request?.value ?? ""
    } catch let error as ZoomError {
      throw error
    } catch {
      throw .notSent("no token: \(error)")
    }
  }

  private func refresh() async throws -> String {
    defer { state.withLock { $0.request = nil } }
    let token = try await fetch()
    state.withLock { $0.token = token }
    return token.text
  }

  /// Forgets a token that Zoom does not accept.
  func reject(_ token: String) { state.withLock { if $0.token?.text == token { $0.token = nil } } }

  private struct Answer: Decodable {
    var token: String
    /// Seconds.
    var lifetime: Double

    private enum CodingKeys: String, CodingKey {
      case token = "access_token"
      case lifetime = "expires_in"
    }
  }

  private func fetch() async throws(ZoomError) -> Token {
    let form = "grant_type=account_credentials&account_id=\(PercentCoding.encode(credentials.accountID))"
    let pair = Data("\(credentials.clientID):\(credentials.clientSecret)".utf8).base64EncodedString()
    let sentAt = time.now()
    let (status, body) = try await ZoomClient.exchange(
      ClientRequest(
        .post, origin: origin, target: "/oauth/token",
        headers: [.authorization: "Basic \(pair)", .contentType: "application/x-www-form-urlencoded"],
        body: .bytes(Array(form.utf8)), timeouts: ZoomClient.timeouts, isRepeatable: true),
      http
    )
    // Whatever became of the request for a token, the one that needs it is not sent.
    guard status == 200, let answer = try? WireJSON.decode(Answer.self, from: body), !answer.token.isEmpty else {
      throw .notSent("no token, status \(status)")
    }
    let lifetime = max(answer.lifetime - Self.margin, answer.lifetime / 2)
    return Token(text: answer.token, until: sentAt.advanced(bySeconds: lifetime))
  }
}
