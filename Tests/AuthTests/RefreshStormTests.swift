import AuthService
import Contracts
import GatewayService
import Persistence
import ServiceKit
import TestKit
import Testing

/// Apps repeat a refresh whose answer was lost, all at once: no one is logged out, and no one becomes someone else.
@Suite(.serialized)
struct RefreshStormTests {
  private static let users = 50
  private static let refreshesPerUser = 20

  @Test(arguments: TestDatabase.allCases)
  func inProcess(_ database: TestDatabase) async throws {
    try await TestPlatform.auth(database: database) { host async throws in
      try await Self.storm(host, host.client, host.client)
      try await Self.checkStored(host)
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func throughTheGateway(_ database: TestDatabase) async throws {
    // On a clock that stands still, so that the speed of the machine decides nothing.
    try await TestPlatform.listen(
      [GatewayPlugin.self, AuthPlugin.self],
      settings: [
        "limits.signIn": "0/1", "limits.session": "0/1", "limits.guests": "0/1", "limits.read": "0/1",
        "http.connectionsPerAddress": "0",
      ],
      database: database, time: ManualTime()
    ) { host, web in
      try await eventually("the gateway routes to auth") {
        do { return try await web.client.send(AuthAPI.GetKeys()).keys.count == 1 } catch { return false }
      }
      try await Self.storm(host, web.client, APIClient(transport: LosingTransport(base: web.url)))
      try await Self.checkStored(host)
    }
  }

  private static func storm(_ host: TestPlatform, _ client: APIClient, _ losing: APIClient) async throws {
    let auth = host.platform.client(of: AuthAPI.name)
    let sessions = try await concurrently(0..<users) { _ in
      try await insisting { try await auth.send(AuthAPI.SignInAsGuest()) }
    }
    let calls = sessions.flatMap { session in (0..<refreshesPerUser).map { (session, $0) } }
    let answers = try await concurrently(calls) { session, number -> (SessionID, Authentication) in
      let refresh = AuthAPI.Refresh(refreshToken: session.refreshToken)
      // The answer is lost, so the app repeats the call with the token that it has.
      if number.isMultiple(of: 2) { _ = try? await losing.send(refresh) }
      return (session.session, try await insisting { try await client.send(refresh) })
    }
    #expect(answers.count == users * refreshesPerUser)
    let owners = Dictionary(uniqueKeysWithValues: sessions.map { ($0.session, $0.user.id) })
    for (session, answer) in answers {
      #expect(answer.session == session)
      #expect(answer.user.id == owners[session])
    }
    let successors = Dictionary(grouping: answers) { $0.0 }.mapValues { Set($0.map(\.1.refreshToken)) }
    #expect(successors.count == users)
    for (session, tokens) in successors {
      // All repetitions got the same successor, which works.
      #expect(tokens.count == 1)
      let token = try #require(tokens.first)
      let next = try await insisting { try await client.send(AuthAPI.Refresh(refreshToken: token)) }
      #expect(next.session == session)
      let me = try await insisting {
        try await client.with(accessToken: next.accessToken).send(AuthAPI.GetMe())
      }
      #expect(me.id == owners[session])
    }
  }

  /// Repeats a call until it is answered, as apps do.
  private static func insisting<Value: Sendable>(_ call: @Sendable () async throws -> Value) async throws -> Value {
    var value: Value?
    try await eventually("the call is answered") {
      do { value = try await call() } catch CallError.problem(let problem) {
        guard problem.status == 503 else { throw CallError.problem(problem) }
      } catch CallError.notSent {} catch CallError.unknown {}
      return value != nil
    }
    guard let value else { throw TestKitError("the call was not answered") }
    return value
  }

  /// Every session is live and has been rotated exactly twice, however often its token was sent.
  private static func checkStored(_ host: TestPlatform) async throws {
    let (generations, ended) = try await host.database.read { db in
      (
        try db.values("SELECT generation FROM sessions", as: Int.self),
        try db.count("SELECT COUNT(*) FROM sessions WHERE revoked_at IS NOT NULL")
      )
    }
    #expect(generations.counts == [3: users])
    #expect(ended == 0)
  }
}

/// Sends a request whose answer never reaches its sender.
private struct LosingTransport: Transport {
  let base: String

  func send(_ request: WireRequest, headers: [(name: String, value: String)]) async throws(CallError) -> WireResponse {
    guard let connection = try? RawConnection(to: base) else { throw .notSent("no connection") }
    let body = String(decoding: request.body ?? [], as: UTF8.self)
    connection.send(
      "\(request.method.rawValue) \(request.target) HTTP/1.1\r\nHost: a\r\nConnection: close\r\n"
        + "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
    // Otherwise the request might be handled later than those that follow it.
    _ = await connection.receiveAll()
    throw .unknown("the answer was lost")
  }
}
