import Contracts
import Persistence
import ServiceKit
import Synchronization
import TestKit
import Testing

@testable import GatewayService

/// The errors that end a session of a browser, and those that only interrupt it.
struct WebTokensTests {
  /// Auth, which always answers the same.
  private final class Auth: Transport {
    let calls = Atomic<Int>(0)
    private let response: Result<WireResponse, CallError>

    init(_ response: Result<WireResponse, CallError>) { self.response = response }

    init(_ problem: Problem) {
      let headers = [(name: "content-type", value: "application/problem+json")]
      response = .success(
        WireResponse(status: problem.status, headers: headers, body: (try? WireJSON.encode(problem)) ?? []))
    }

    func send(_ request: WireRequest, headers: [(name: String, value: String)]) async throws(CallError) -> WireResponse
    {
      calls.add(1, ordering: .relaxed)
      return try response.get()
    }
  }

  private static let session = WebSession(
    refreshToken: "r", session: SessionID(trusted: "01890a5d-ac96-774b-bcce-b302099a8057"), issuedAt: 0, isGuest: false)

  private func tokens(_ auth: Auth) -> WebTokens {
    let time = ManualTime().source
    return WebTokens(
      auth: APIClient(transport: auth),
      verifier: TokenVerifier(time: time) { throw Problem(.unavailable) }, time: time)
  }

  private func problem(_ tokens: WebTokens) async -> Problem? {
    do throws(Problem) {
      _ = try await tokens.token(of: Self.session)
      return nil
    } catch {
      return error
    }
  }

  @Test(arguments: [Problem.Kind.refreshTokenInvalid, .refreshTokenReused])
  func whatAuthSaysOfTheTokenEndsTheSession(kind: Problem.Kind) async {
    let auth = Auth(Problem(kind))
    let tokens = tokens(auth)
    for _ in 0..<3 { #expect(await problem(tokens)?.is(.sessionRevoked) == true) }
    // It is not asked about the same session again.
    #expect(auth.calls.load(ordering: .relaxed) == 1)
  }

  /// A gateway whose own key is refused, and an auth that cannot answer, sign no one out.
  @Test(arguments: [Problem.Kind.tokenInvalid, .forbidden, .notFound, .unavailable, .overloaded, .internalError])
  func otherProblemsDoNot(kind: Problem.Kind) async {
    let auth = Auth(Problem(kind))
    let tokens = tokens(auth)
    for _ in 0..<2 { #expect(await problem(tokens)?.status == 503) }
    #expect(auth.calls.load(ordering: .relaxed) == 2)
  }

  @Test func oneSessionDoesNotKeepAuthBusy() async {
    let auth = Auth(Problem(.unavailable))
    let tokens = tokens(auth)
    for _ in 0..<20 { #expect(await problem(tokens)?.status == 503) }
    for _ in 0..<5 {
      let refused = await problem(tokens)
      #expect(refused?.is(.tooManyRequests) == true)
    }
    #expect(auth.calls.load(ordering: .relaxed) == 20)
  }

  /// While the token of a request is found to be worthless, another request may get a new one.
  @Test func aTokenThatCameMeanwhileIsTaken() async throws {
    let time = ManualTime().source
    let (now, id) = (time.now().unixSeconds, Self.session.session)
    func token(_ number: Int) throws -> String {
      let header: JSONValue = ["alg": "ES256", "typ": "at+jwt", "kid": .string("\(number)")]
      let claims: JSONValue = [
        "sid": .string(id.rawValue), "aud": "keepfit", "iat": .integer(now), "exp": .integer(now + 900),
      ]
      let parts = try [WireJSON.encode(header), WireJSON.encode(claims), Array(repeating: 0, count: 64)]
      return parts.map { Base64URL.encode($0) }.joined(separator: ".")
    }
    let account = Account(
      id: UserID(trusted: id.rawValue), email: nil, isEmailVerified: false, username: "ada", displayName: "Ada",
      hasPassword: true, roles: [.user], createdAt: time.now(), version: 1)
    let answer = Authentication(
      user: account, accessToken: try token(2), refreshToken: "r", expiresIn: 900, session: id, missingFields: [])
    let auth = Auth(.success(WireResponse(status: 200, headers: [], body: try WireJSON.encode(answer))))
    let (isAsked, maySay) = (AsyncStream<Void>.makeStream(), AsyncStream<Void>.makeStream())
    let verifier = TokenVerifier(time: time) {
      isAsked.continuation.finish()
      for await _ in maySay.stream {}
      return JSONWebKeySet(keys: [])
    }
    let tokens = WebTokens(auth: APIClient(transport: auth), verifier: verifier, time: time)
    tokens.keep(try token(1))
    async let found = tokens.token(of: Self.session)
    for await _ in isAsked.stream {}
    #expect(try await tokens.renew(Self.session) == (try token(2)))
    maySay.continuation.finish()
    #expect(try await found == (try token(2)))
    #expect(auth.calls.load(ordering: .relaxed) == 1)
  }

  @Test func noAnswerDoesNotEither() async {
    for failure in [CallError.notSent("x"), .unknown("x")] {
      let tokens = tokens(Auth(.failure(failure)))
      #expect(await problem(tokens)?.is(.unavailable) == true)
    }
  }

  @Test func onlyTokensAreReadAsTokens() {
    for text in ["", "a.b.c", "a.e30.c", "a..c", "eyJhbGciOiJub25lIn0.e30."] {
      #expect(WebTokens.Claims(text) == nil, "\(text)")
    }
  }
}
