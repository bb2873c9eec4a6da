import Contracts
import Foundation
import ServiceKit
import Synchronization
import TestKit

/// Sends each request to the next gateway, as clients behind a balancer do that does not look whether it is there.
struct ChaosTransport: Transport {
  private let gateways: [CurlTransport]
  private let sent = Counter()

  init(_ gateways: [CurlTransport]) { self.gateways = gateways }

  func send(_ request: WireRequest, headers: [(name: String, value: String)]) async throws(CallError) -> WireResponse {
    sent.add()
    return try await gateways[sent.value % gateways.count].send(request, headers: headers)
  }
}

/// A user, whose app repeats every request with its key until it is answered.
final class ChaosPerson: Sendable {
  let id: UserID
  let name: String
  private let api: APIClient
  private let session: Mutex<Authentication>

  /// How long a request is repeated, in seconds. It only bounds how long a failing test takes.
  private static let timeoutSeconds = 900.0
  private static let temporary: [Problem.Kind] = [.requestInProgress, .checkoutInProgress, .tooManyRequests]

  private init(_ name: String, _ session: Authentication, _ api: APIClient) {
    (id, self.name, self.api) = (session.user.id, name, api)
    self.session = Mutex(session)
  }

  /// Creates an account; the one whose creation was not answered is signed in to.
  static func signUp(_ name: String, _ api: APIClient) async throws -> ChaosPerson {
    let email = try EmailAddress(validating: "\(name)@example.com")
    let password = try Password(validating: "correct horse \(name)")
    let signUp = AuthAPI.SignUp(
      email: email, username: try Username(validating: name), displayName: try DisplayName(validating: "Test \(name)"),
      password: password, app: .web)
    do {
      return ChaosPerson(name, try await insist(signUp) { api }, api)
    } catch CallError.problem(let problem) where problem.is(.emailTaken) || problem.is(.usernameTaken) {
      let logIn = AuthAPI.LogIn(login: name, password: password.rawValue, app: .web)
      return ChaosPerson(name, try await insist(logIn) { api }, api)
    }
  }

  var token: String { session.withLock { $0.accessToken } }
  var sessionID: SessionID { session.withLock { $0.session } }

  /// Sends a request, which the platform has no reason to refuse, until it is answered.
  func insist<E: Endpoint>(_ request: E, key: String? = nil) async throws -> E.Response {
    guard let response = try await attempt(request, key: key) else { throw TestKitError("\(E.self) was refused") }
    return response
  }

  /// The same, for requests that may be refused.
  /// - Returns: `nil` when it is refused for one of the reasons.
  func attempt<E: Endpoint>(_ request: E, key: String? = nil, orIs refusals: Problem.Kind...) async throws
    -> E.Response?
  {
    do {
      return try await Self.insist(request, key: key) { [self] in api.with(accessToken: token) }
    } catch CallError.problem(let problem) {
      if refusals.contains(where: { problem.is($0) }) { return nil }
      throw TestKitError("\(name): \(E.self) was refused: \(problem)")
    }
  }

  /// Sends a request again and again until it is answered.
  /// - Throws: ``CallError`` when it is refused.
  private static func insist<E: Endpoint>(
    _ request: E, key: String? = nil, as client: @Sendable () -> APIClient
  ) async throws -> E.Response {
    let end = ContinuousClock.now + .seconds(timeoutSeconds)
    while true {
      do throws(CallError) {
        return try await client().send(request, idempotencyKey: key)
      } catch {
        if case .problem(let problem) = error, problem.status < 500, !temporary.contains(where: { problem.is($0) }) {
          throw error
        }
        if ContinuousClock.now > end { throw TestKitError("\(E.self) was not answered: \(error)") }
      }
      // The pace of a client that repeats itself.
      try await Task.sleep(for: .seconds(0.2))
    }
  }

  /// Exchanges the refresh token.
  /// - Returns: Whether the session is lost.
  func refresh() async throws -> Bool {
    let (begin, old) = (ContinuousClock.now, session.withLock { $0.refreshToken })
    do {
      let new = try await Self.insist(AuthAPI.Refresh(refreshToken: old)) { [api] in api }
      session.withLock { $0 = new }
      return false
    } catch CallError.problem(let problem) where problem.status == 401 {
      // An answer that was lost for longer than `auth.refreshReuseSeconds` ends the session, as documented.
      guard ContinuousClock.now - begin > .seconds(60), problem.is(.refreshTokenReused) else { return true }
      let logIn = AuthAPI.LogIn(login: name, password: "correct horse \(name)", app: .web)
      let new = try await Self.insist(logIn) { [api] in api }
      session.withLock { $0 = new }
      return false
    }
  }
}
