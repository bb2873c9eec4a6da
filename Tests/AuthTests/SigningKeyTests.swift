import Contracts
import CurlClient
import Foundation
import JWTKit
import Persistence
import Synchronization
import TestKit
import Testing

@testable import AuthService
@testable import ServiceKit

/// Signing keys that were stolen: what their thief can do, and for how long.
@Suite(.serialized)
struct SigningKeyTests {
  /// Forges a token as a thief of a signing key would.
  private static func forge(
    _ keys: SigningKeys, at now: Timestamp, roles: [Role] = [.administrator], life: Int64 = 900
  ) async throws -> String {
    try await keys.sign(
      AccessClaims(
        iss: Issuer.name, sub: IDGenerator().text(), aud: ClientApp.web.rawValue, sid: IDGenerator().text(),
        scope: "account administration", roles: roles.map(\.rawValue), iat: now.unixSeconds,
        exp: now.unixSeconds &+ life, jti: "1"))
  }

  private static func refusal(_ verifier: TokenVerifier, _ token: String) async -> String? {
    do {
      _ = try await verifier.verify(token[...])
      return nil
    } catch { return (error as? Problem)?.code ?? "\(error)" }
  }

  @Test func verifiedTokensOfARetiredKeyAreDropped() async throws {
    let time = ManualTime()
    let (stolen, other) = (ES256PrivateKey().pemRepresentation, ES256PrivateKey().pemRepresentation)
    let thief = try await SigningKeys(pem: stolen)
    let before = try await SigningKeys(pem: stolen + "\n" + other)
    let after = try await SigningKeys(pem: other)
    let published = Mutex(before.publicKeys)
    let verifier = TokenVerifier(time: time.source) { published.withLock { $0 } }
    let forged = try await Self.forge(thief, at: time.source.now())
    let honest = try await Self.forge(after, at: time.source.now())
    let caller = try await verifier.verify(forged[...])
    #expect(await Self.refusal(verifier, honest) == nil)
    #expect(verifier.isValid(caller))
    published.withLock { $0 = after.publicKeys }
    try await verifier.refreshKeys()
    #expect(await Self.refusal(verifier, forged) == "token-invalid")
    // Neither do open streams go on.
    #expect(!verifier.isValid(caller))
    #expect(await Self.refusal(verifier, honest) == nil)
    // Asking for the unknown key again does not bring it back.
    time.advance(seconds: 6)
    #expect(await Self.refusal(verifier, forged) == "token-invalid")
  }

  @Test(arguments: [(3600, nil), (3601, "token-invalid"), (315_360_000, "token-invalid"), (Int64.max, "token-invalid")])
  func tokensDoNotOutliveThePlatformsMaximum(life: Int64, refusal: String?) async throws {
    let time = ManualTime()
    let keys = try await SigningKeys(pem: ES256PrivateKey().pemRepresentation)
    let verifier = TokenVerifier(time: time.source) { keys.publicKeys }
    let token = try await Self.forge(keys, at: time.source.now(), life: life)
    #expect(await Self.refusal(verifier, token) == refusal)
  }

  @Test(arguments: TestDatabase.allCases)
  func aStolenKeyIsRetiredAndNoOneIsLoggedOut(_ database: TestDatabase) async throws {
    try await TestPlatform.auth(database: database) { host async throws in
      let ada = try await host.signUp("ada")
      let stolen = try await SigningKeys.load(Settings([:]), dataFolder: host.folder)
      let kid = try #require(stolen.publicKeys.keys.first?.kid)
      let thief = host.client.with(accessToken: try await Self.forge(stolen, at: host.time.source.now()))
      // The attack: the forged token reads everybody's address.
      #expect(try await thief.send(AuthAPI.AdminListUsers()).items.map(\.email) == ["ada@example.com"])

      #expect(try host.auth.signingKeys() == [kid])
      #expect(try await host.auth.retireSigningKey(kid))
      #expect(try await host.auth.retireSigningKey(kid) == false)
      try await host.auth.runOnce("auth.signing-keys")
      try await host.platform.confirmSessions()
      let again = host.client.with(accessToken: try await Self.forge(stolen, at: host.time.source.now()))
      for client in [thief, again] {
        #expect(try await problem { _ = try await client.send(AuthAPI.AdminListUsers()) }?.code == "token-invalid")
      }
      // The stolen key had signed Ada's token as well; her app refreshes it.
      let me = host.client.with(accessToken: ada.accessToken)
      #expect(try await problem { _ = try await me.send(AuthAPI.GetMe()) }?.code == "token-invalid")
      host.time.advance(seconds: 6)
      let next = try await host.refresh(ada.refreshToken)
      #expect(try await host.client.with(accessToken: next.accessToken).send(AuthAPI.GetMe()).id == ada.user.id)
      let found = try await AuditTrail(host.database).search(
        AuditFilter(object: "signing-key:\(kid)"), limit: 10, cursor: nil)
      #expect(found.items.map(\.action) == ["signing-key.retired"])
    }
  }

  @Test func aNewKeySignsOnceTheServicesKnowIt() async throws {
    try await TestPlatform.auth { host async throws in
      let ada = try await host.signUp("ada")
      let old = try #require(try host.auth.signingKeys().first)
      let new = try await host.auth.rotateSigningKey()
      #expect(try host.auth.signingKeys() == [new, old])
      try await host.auth.runOnce("auth.signing-keys")
      let published = try await host.client.send(AuthAPI.GetKeys()).keys.map(\.kid)
      #expect(published == [new, old])
      #expect(try Self.kid(of: try await host.logIn("ada")) == old)
      host.time.advance(seconds: 60)
      let later = try await host.logIn("ada")
      #expect(try Self.kid(of: later) == new)
      for token in [ada.accessToken, later.accessToken] {
        #expect(try await host.client.with(accessToken: token).send(AuthAPI.GetMe()).id == ada.user.id)
      }
    }
  }

  private static func kid(of session: Authentication) throws -> String? {
    JOSEHeader(base64URL: session.accessToken.prefix { $0 != "." })?.keyID
  }

  /// Real processes: an operator retires the key while auth and the gateway run.
  @Test func theCommandEndsAStolenKeysTokensEverywhere() async throws {
    try await TemporaryFolder.run { folder in
      let settings = ["DATA": "\(folder)/auth", "LOG_LEVEL": "error"]
      try await ServiceProcess.running("auth", settings: settings) { auth async throws in
        let edge = ["DATA": "\(folder)/gateway", "LOG_LEVEL": "error", "SERVICES_AUTH_URL": auth.url]
        try await ServiceProcess.running("gateway", settings: edge) { gateway async throws in
          try await CurlClient.running { http async throws in
            let stolen = try await SigningKeys.load(Settings([:]), dataFolder: "\(folder)/auth")
            let kid = try #require(stolen.publicKeys.keys.first?.kid)
            let token = try await Self.forge(stolen, at: TimeSource.system.now())
            let thief = APIClient(transport: CurlTransport(client: http, origin: gateway.url)).with(accessToken: token)
            try await eventually("the gateway routes to auth") {
              do { return try await thief.send(AuthAPI.AdminListUsers()).items.isEmpty } catch { return false }
            }
            let command = try ServiceProcess.executable("auth").path
            let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
            let environment = ["DATA": "\(folder)/auth", "PATH": path, "LOG_LEVEL": "error"]
            let list = try await Command.run([command, "keys", "signing", "list"], environment: environment)
            #expect(list.split(separator: "\n").map(String.init) == [kid])
            _ = try await Command.run([command, "keys", "signing", "retire", "--kid", kid], environment: environment)
            try await eventually("the stolen key's token is refused") {
              do throws(CallError) {
                _ = try await thief.send(AuthAPI.AdminListUsers())
                return false
              } catch {
                if case .problem(let problem) = error { return problem.is(.tokenInvalid) }
                return false
              }
            }
          }
        }
      }
    }
  }
}
