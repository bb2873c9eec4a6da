import Contracts
import Crypto
import CryptoExtras
import CurlClient
import Foundation
import HTTPTypes
import Persistence
import ServiceKit
import Synchronization
import TestKit
import Testing

@testable import AuthService

/// Sign-in with ID tokens: token verification, account linking, and a real provider.
@Suite(.serialized)
struct ProviderTests {
  static func run(
    nonce: String = "ifSent",
    database: TestDatabase = .sqlite,
    _ body: (TestPlatform, FakeProvider) async throws -> Void
  ) async throws {
    let provider = try FakeProvider(time: ManualTime())
    defer { provider.stop() }
    let settings = provider.settings(nonce: nonce)
    try await TestPlatform.auth(settings: settings, database: database, time: provider.time) { host async throws in
      try await body(host, provider)
    }
  }

  static func signIn(
    _ host: TestPlatform,
    _ token: String,
    nonce: String? = nil,
    guest: String? = nil,
    guestRefreshToken: String? = nil,
    password: String? = nil
  ) async throws -> Authentication {
    try await host.client.send(
      AuthAPI.SignInWithProvider(
        provider: "test", idToken: token, nonce: nonce, guest: guest, guestRefreshToken: guestRefreshToken,
        password: password)
    )
  }

  private static func code(_ host: TestPlatform, _ token: String, nonce: String? = nil) async throws -> String? {
    let problem = try await problem { _ = try await signIn(host, token, nonce: nonce) }
    if let problem, problem.status != 401 { return "\(problem.status) \(problem.code)" }
    return problem?.code
  }

  // MARK: tokens

  @Test func everyWrongTokenIsRefusedByItsOwnCode() async throws {
    try await Self.run { host, provider async throws in
      let now = provider.time.source.now().unixSeconds
      let good = provider.claims()
      let rsaPublic = provider.rsa.publicKey.pemRepresentation
      func hmac(_ key: String) -> (Data) -> [UInt8] {
        { Array(HMAC<SHA256>.authenticationCode(for: $0, using: SymmetricKey(data: Data(key.utf8)))) }
      }
      let strangerKey = P256.Signing.PrivateKey()
      var tampered = try provider.token(good).split(separator: ".").map(String.init)
      tampered[1] = try provider.token(provider.claims(["sub": "person-2"])).split(separator: ".").map(String.init)[1]
      let vectors: [(String, String, String)] = [
        ("not a token", "x", "id-token-malformed"),
        ("two parts", "e30.e30", "id-token-malformed"),
        ("no JSON", "YQ.YQ.YQ", "id-token-malformed"),
        ("no expiry", try provider.token(provider.claims(["exp": nil])), "id-token-malformed"),
        ("no issue time", try provider.token(provider.claims(["iat": nil])), "id-token-malformed"),
        ("a critical extension", try provider.token(good, header: ["crit": "x"]), "id-token-malformed"),
        ("alg none", try provider.token(good, header: ["alg": "none"]) { _ in [] }, "id-token-algorithm"),
        ("alg None", try provider.token(good, header: ["alg": "None"]) { _ in [] }, "id-token-algorithm"),
        (
          "HS256 with the public key",
          try provider.token(good, header: ["alg": "HS256", "kid": "rsa"], sign: hmac(rsaPublic)),
          "id-token-algorithm"
        ),
        (
          "HS256 with a key of the set",
          try provider.token(good, header: ["alg": "HS256", "kid": "hmac"], sign: hmac("secret")), "id-token-algorithm"
        ),
        ("RS512", try provider.token(good, header: ["alg": "RS512", "kid": "rsa"]), "id-token-algorithm"),
        ("ES256 with the ID of the RSA key", try provider.token(good, header: ["kid": "rsa"]), "id-token-algorithm"),
        ("an unknown key", try provider.token(good, header: ["kid": "other"]), "id-token-key-unknown"),
        ("an empty key ID", try provider.token(good, header: ["kid": ""]), "id-token-key-unknown"),
        (
          "another key", try provider.token(good) { Array(try strangerKey.signature(for: $0).rawRepresentation) },
          "id-token-signature"
        ),
        ("a tampered payload", tampered.joined(separator: "."), "id-token-signature"),
        (
          "another issuer", try provider.token(provider.claims(["iss": "https://accounts.google.com"])),
          "id-token-issuer"
        ),
        ("no issuer", try provider.token(provider.claims(["iss": nil])), "id-token-issuer"),
        ("another audience", try provider.token(provider.claims(["aud": "app-9"])), "id-token-audience"),
        (
          "another audience besides ours", try provider.token(provider.claims(["aud": ["app-1", "app-9"]])),
          "id-token-audience"
        ),
        ("no audience", try provider.token(provider.claims(["aud": nil])), "id-token-audience"),
        ("another party", try provider.token(provider.claims(["azp": "app-9"])), "id-token-authorized-party"),
        ("expired", try provider.token(provider.claims(["exp": now - 61])), "id-token-expired"),
        ("issued in the future", try provider.token(provider.claims(["iat": now + 61])), "id-token-from-the-future"),
        ("not valid yet", try provider.token(provider.claims(["nbf": now + 61])), "id-token-from-the-future"),
        ("issued long ago", try provider.token(provider.claims(["iat": now - 7200])), "id-token-too-old"),
        ("no subject", try provider.token(provider.claims(["sub": nil])), "id-token-subject"),
        ("an empty subject", try provider.token(provider.claims(["sub": ""])), "id-token-subject"),
        (
          "an unverified address", try provider.token(provider.claims(["email_verified": false])),
          "id-token-email-unverified"
        ),
        (
          "an address of unknown state", try provider.token(provider.claims(["email_verified": nil])),
          "id-token-email-unverified"
        ),
        (
          "a nonce that was not sent", try provider.token(provider.claims(["nonce": "n-1"])),
          "id-token-nonce-unexpected"
        ),
      ]
      for (what, token, code) in vectors { #expect(try await Self.code(host, token) == code, "\(what)") }
      #expect(try await Self.code(host, try provider.token(good), nonce: "n-1") == "id-token-nonce-missing")
      let withNonce = try provider.token(provider.claims(["nonce": "n-1"]))
      #expect(try await Self.code(host, withNonce, nonce: "n-2") == "id-token-nonce-wrong")
      #expect(try await Self.code(host, withNonce, nonce: "n-1") == nil)
      #expect(try await Self.code(host, withNonce, nonce: "n-1") == "id-token-nonce-reused")
      // Valid tokens at the limits.
      let hashed = SHA256.hash(data: Data("n-3".utf8)).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }
      for (what, claims, nonce) in [
        ("a hashed nonce", provider.claims(["aud": "app-3", "nonce": hashed.joined()]), "n-3"),
        ("at the end of the leeway", provider.claims(["exp": now - 59]), nil),
        ("at the start of the leeway", provider.claims(["iat": now + 59]), nil),
        ("several of our audiences", provider.claims(["aud": ["app-1", "app-2"], "azp": "app-2"]), nil),
        ("Apple's notation of true", provider.claims(["email_verified": "true"]), nil),
        ("a policy that ignores nonces", provider.claims(["aud": "app-2", "nonce": "unknown"]), nil),
      ] as [(String, [String: Any], String?)] {
        #expect(try await Self.code(host, try provider.token(claims), nonce: nonce) == nil, "\(what)")
      }
      let rsaToken = try provider.token(good, header: ["alg": "RS256", "kid": "rsa"]) { data in
        Array(try provider.rsa.signature(for: data, padding: .insecurePKCS1v1_5).rawRepresentation)
      }
      #expect(try await Self.code(host, rsaToken) == nil)
      let unknown = try await problem {
        _ = try await host.client.send(
          AuthAPI.SignInWithProvider(provider: "nobody", idToken: "x")
        )
      }
      #expect(unknown?.is(.providerUnknown) == true)
    }
  }

  @Test func requiredNoncesAreRequired() async throws {
    try await Self.run(nonce: "required") { host, provider async throws in
      #expect(try await Self.code(host, try provider.token(provider.claims())) == "id-token-nonce-missing")
      let token = try provider.token(provider.claims(["nonce": "n"]))
      #expect(try await Self.code(host, token) == "id-token-nonce-missing")
      #expect(try await Self.code(host, token, nonce: "n") == nil)
    }
  }

  @Test func keysAreAskedForOnceAndServeThroughOutages() async throws {
    try await Self.run { host, provider async throws in
      let tokens = try (0..<20).map { try provider.token(provider.claims(["sub": "person-\($0)", "email": nil])) }
      _ = try await concurrently(tokens) { token in try await Self.signIn(host, token) }
      #expect(provider.keyRequests.withLock { $0 } == 1)
      // Unknown key IDs do not cause a flood of requests.
      for number in 0..<20 {
        _ = try await Self.code(host, try provider.token(provider.claims(), header: ["kid": "forged-\(number)"]))
      }
      #expect(provider.keyRequests.withLock { $0 } == 1)
      provider.stop()
      // The keys are older than their max-age now.
      provider.time.advance(seconds: 1000)
      _ = try await Self.signIn(host, try provider.token(provider.claims()))
      #expect(provider.keyRequests.withLock { $0 } == 1)
    }
  }

  @Test(arguments: [
    (nil, 3600.0), ("max-age=120", 120), ("public, max-age=1", 60), ("max-age=x", 3600), ("max-age=9999999", 86_400),
  ])
  func keysLiveAsLongAsTheProviderSays(header: String?, seconds: Double) {
    #expect(ProviderKeys.life(header) == seconds)
  }

  // MARK: captured tokens

  @Test("S10: a captured ID token does not sign in again", arguments: TestDatabase.allCases)
  func tokensAreUsedOnce(_ database: TestDatabase) async throws {
    try await Self.run(database: database) { host, provider async throws in
      let token = try provider.token(provider.claims())
      #expect(try await Self.code(host, token) == nil)
      #expect(try await Self.code(host, token) == "id-token-reused")
      // Whoever has an ES256 signature can make another valid one of it, (r, n - s), without the key.
      let other = try Self.withOtherSignature(token)
      #expect(other != token)
      #expect(try await Self.code(host, other) == "id-token-reused")
      // Also where nonces are ignored, and in the last second.
      let ignored = try provider.token(provider.claims(["aud": "app-2", "nonce": "unknown"]))
      #expect(try await Self.code(host, ignored) == nil)
      provider.time.advance(seconds: 3599)
      #expect(try await Self.code(host, token) == "id-token-reused")
      #expect(try await Self.code(host, ignored) == "id-token-reused")
      // Only hashes are stored, and not longer than the tokens are valid.
      func stored() async throws -> [String] {
        try await host.database.read { db in try db.values("SELECT hash FROM used_nonces", as: String.self) }
      }
      #expect(try await stored().map(\.utf8.count) == [43, 43])
      provider.time.advance(seconds: 200)
      try await host.auth.runOnce("auth.purge")
      #expect(try await stored() == [])
      #expect(try await Self.code(host, token) == "id-token-expired")
    }
  }

  @Test func manyCopiesOfATokenSignInOnce() async throws {
    try await Self.run { host, provider async throws in
      let token = try provider.token(provider.claims())
      let outcomes = try await concurrently(0..<20) { _ in try await Self.code(host, token) ?? "in" }.counts
      #expect(outcomes == ["in": 1, "id-token-reused": 19])
    }
  }

  @Test("S10: the hash in a captured token does not prove the nonce")
  func onlyTheAppKnowsAHashedNonce() async throws {
    try await Self.run { host, provider async throws in
      let hash = SHA256.hash(data: Data("secret".utf8)).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }
      let claim = hash.joined()
      let token = try provider.token(provider.claims(["aud": "app-3", "nonce": claim]))
      #expect(try await Self.code(host, token, nonce: claim) == "id-token-nonce-wrong")
      #expect(try await Self.code(host, token, nonce: claim.uppercased()) == "id-token-nonce-wrong")
      #expect(try await Self.code(host, token) == "id-token-nonce-unexpected")
      #expect(try await Self.code(host, token, nonce: "secret") == nil)
    }
    for (name, isHashed) in [("apple", true), ("google", false)] {
      let text = #"[{"name":"\#(name)","clients":[{"id":"a","app":"web"}]}]"#
      #expect(ProviderSettings.parse(text)?[0].clients[0].hashesNonce == isHashed)
    }
  }

  /// The token with the signature (r, n - s), n being the order of P-256.
  private static func withOtherSignature(_ token: String) throws -> String {
    let order: [UInt8] = [
      0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xBC, 0xE6, 0xFA, 0xAD, 0xA7,
      0x17, 0x9E, 0x84, 0xF3, 0xB9, 0xCA, 0xC2, 0xFC, 0x63, 0x25, 0x51,
    ]
    var parts = token.split(separator: ".").map(String.init)
    let signature = try #require(Base64URL.decode(parts[2]))
    let s = Array(signature.suffix(32))
    var (difference, borrow) = ([UInt8](repeating: 0, count: 32), 0)
    for index in stride(from: 31, through: 0, by: -1) {
      let value = Int(order[index]) - Int(s[index]) - borrow
      borrow = value < 0 ? 1 : 0
      difference[index] = UInt8(value < 0 ? value + 256 : value)
    }
    parts[2] = Base64URL.encode(Array(signature.prefix(32)) + difference)
    return parts.joined(separator: ".")
  }

  // MARK: accounts

  @Test func theFirstSignInMakesAnAccountAndReportsWhatIsMissing() async throws {
    try await Self.run { host, provider async throws in
      let first = try await Self.signIn(host, try provider.token(provider.claims()))
      // The display name is public, so the provider's name is not used for it.
      #expect(first.user.displayName == "New user")
      #expect(first.user.details.firstName?.rawValue == "Ada")
      #expect(first.user.isEmailVerified)
      #expect(first.user.username == "ada.lovelace")
      #expect(!first.user.hasPassword)
      #expect(first.missingFields == [.gender, .weight, .height, .birthday, .fitnessLevel])
      var patch = ProfilePatch()
      patch.gender = .set(.female)
      patch.weightGrams = .set(try #require(BodyWeight(60_000)))
      patch.heightMillimetres = .set(try #require(BodyHeight(1700)))
      patch.birthday = .set(try #require(CalendarDate("1815-12-10")))
      patch.fitnessLevel = .set(.advanced)
      let me = host.client.with(accessToken: first.accessToken)
      try await me.consent(to: .healthData)
      _ = try await me.send(AuthAPI.UpdateMe(details: patch))
      // The subject alone identifies the user; the address may change.
      let again = try await Self.signIn(host, try provider.token(provider.claims(["email": "new@example.com"])))
      #expect(again.user.id == first.user.id)
      #expect(again.missingFields == [])
      let elsewhere = try await problem {
        let token = try provider.token(provider.claims())
        _ = try await host.client.send(
          AuthAPI.SignInWithProvider(provider: "test", idToken: token, app: .web)
        )
      }
      #expect(elsewhere?.is(.idTokenAudience) == true)
      let levels = try await host.client.send(AuthAPI.ListFitnessLevels()).items
      #expect(levels.map(\.value) == FitnessLevel.allCases)
      #expect(levels.allSatisfy { !$0.displayValue.isEmpty })
    }
  }

  @Test func accountsAreJoinedByTheirAddress() async throws {
    try await Self.run { host, provider async throws in
      let ada = try await host.signUp("ada")
      let code = try #require(try await host.mailedCodes(to: "ada@example.com").last)
      _ = try await host.client.with(accessToken: ada.accessToken).send(AuthAPI.VerifyEmail(token: code))
      let joined = try await Self.signIn(
        host, try provider.token(provider.claims()), password: "correct horse ada")
      #expect(joined.user.id == ada.user.id)
      #expect(joined.user.details.lastName?.rawValue == "Lovelace")
      // She had verified the address herself, so nothing of hers ends.
      #expect(try await host.logIn("ada").user.id == joined.user.id)
      _ = try await host.refresh(ada.refreshToken)
    }
  }

  @Test func guestsBecomeThePerson() async throws {
    try await Self.run { host, provider async throws in
      let guest = try await host.guestSession()
      func token() throws -> String { try provider.token(provider.claims()) }
      let person = try await Self.signIn(
        host, try token(), guest: guest.accessToken, guestRefreshToken: guest.refreshToken)
      #expect(person.user.id == guest.user.id)
      #expect(person.user.roles == [.user])
      // The identity has an account now: what another guest has moves into it.
      let other = try await host.guestSession()
      let moved = try await Self.signIn(
        host, try token(), guest: other.accessToken, guestRefreshToken: other.refreshToken)
      #expect(moved.user.id == person.user.id)
      let moves = try await host.recorded(GuestSignedIn.self, by: AuthAPI.self)
      #expect(moves.map(\.guestID) == [guest.user.id, other.user.id])
      #expect(moves.map(\.userID) == [person.user.id, person.user.id])
      #expect(try await Self.signIn(host, try token()).user.id == person.user.id)
    }
  }

  // MARK: a real provider

  /// The authorization code flow with `oidc-provider-mock`, and sign-in with its ID token.
  @Test func aRealProvidersTokenSignsIn() async throws {
    let port = try reservedPort()
    let issuer = "http://localhost:\(port)"
    let claims = #"{"sub":"real-1","email":"real@example.com","email_verified":true,"name":"Real Person"}"#
    let provider = try Command([
      Python.path(), "-W", "ignore", "-m", "oidc_provider_mock", "-p", "\(port)", "-H", "localhost", "--user-claims",
      claims,
    ])
    try await attempt {
      let token = try await CurlClient.running { http in
        try await eventually("the provider answers") {
          let request = ClientRequest(origin: issuer, target: "/.well-known/openid-configuration")
          return (try? await http.send(request))?.status == 200
        }
        return try await Self.idToken(of: issuer, http)
      }
      let settings = [
        "auth.oidcProviders":
          #"[{"name":"test","issuer":"\#(issuer)","clients":[{"id":"our-client","app":"keepfit","nonce":"required"}]}]"#,
        "auth.providerSeconds": "300",
      ]
      try await TestPlatform.auth(settings: settings, time: nil) { host async throws in
        let person = try await Self.signIn(host, token, nonce: "once")
        #expect(person.user.email == "real@example.com")
        #expect(person.user.isEmailVerified)
        #expect(try await Self.code(host, token, nonce: "once") == "id-token-nonce-reused")
      }
    } finally: {
      provider.signal(SIGKILL)
      await provider.end()
    }
  }

  private static func idToken(of issuer: String, _ http: CurlClient) async throws -> String {
    func form(_ target: String, _ body: String, _ headers: [String: String] = [:]) async throws -> ClientResponse {
      try await http.send(
        ClientRequest(
          .post,
          origin: issuer,
          target: target,
          headers: [.contentType: "application/x-www-form-urlencoded"],
          body: .bytes(Array(body.utf8))
        )
      )
    }
    let query =
      "client_id=our-client&response_type=code&scope=openid%20email%20profile&nonce=once&state=s"
      + "&redirect_uri=http%3A%2F%2Flocalhost%2Fback"
    let answer = try await form("/oauth2/authorize?\(query)", "sub=real-1")
    let location = answer.headers[.location] ?? ""
    let code = try #require(location.firstMatch(of: /[?&]code=([^&]+)/)?.1, "\(answer.status) \(location)")
    let exchange = try await form(
      "/oauth2/token",
      "grant_type=authorization_code&code=\(code)&client_id=our-client&client_secret=s&redirect_uri=http%3A%2F%2Flocalhost%2Fback"
    )
    let body = try await exchange.body.collect(upTo: 100_000)
    let answerJSON = try WireJSON.decode(JSONValue.self, from: body)
    return try #require(answerJSON["id_token"]?.string)
  }
}
