import AuthService
import Contracts
import CurlClient
import GatewayService
import HTTPTypes
import NIOCore
import ServiceKit
import TestKit
import Testing

/// The account life cycle in every hosting.
@Suite(.serialized)
struct AuthFlowTests {
  static func run(
    _ hosting: Hosting,
    settings: [String: String] = [:],
    _ body: (Hosting.Hosted) async throws -> Void
  ) async throws {
    try await hosting.run(gateway: GatewayPlugin.self, services: [(AuthPlugin.self, "auth")], settings: settings, body)
  }

  static func bio(_ text: String?) throws -> ProfilePatch {
    var patch = ProfilePatch()
    patch.bio = try text.map { .set(try Biography(validating: $0)) } ?? .remove
    return patch
  }

  @Test(arguments: Hosting.allCases)
  func signUpLogInRefreshLogOut(_ hosting: Hosting) async throws {
    try await Self.run(hosting) { hosted async throws in
      let client = hosted.client
      let signed = try await client.signUp("ada")
      #expect(signed.tokenType == "Bearer")
      #expect(signed.expiresIn == 900)
      #expect(signed.user.roles == [.user])
      let me = client.with(accessToken: signed.accessToken)
      #expect(try await me.send(AuthAPI.GetMe()) == signed.user)

      for login in ["ada", "ADA", "ada@example.com"] {
        let answer = try await client.send(AuthAPI.LogIn(login: login, password: "correct horse ada"))
        #expect(answer.user == signed.user)
        #expect(answer.session != signed.session)
      }
      for (login, password) in [
        ("ada", "wrong"), ("nobody", "correct horse ada"), ("", ""), ("nobody@example.com", "x"),
      ] {
        let failure = try await problem {
          _ = try await client.send(AuthAPI.LogIn(login: login, password: password))
        }
        #expect(failure?.is(.invalidCredentials) == true)
      }

      let refreshed = try await client.send(AuthAPI.Refresh(refreshToken: signed.refreshToken))
      #expect(refreshed.refreshToken != signed.refreshToken)
      #expect(refreshed.session == signed.session)
      #expect(try await client.with(accessToken: refreshed.accessToken).send(AuthAPI.GetMe()).id == signed.user.id)

      let other = try await client.send(AuthAPI.LogIn(login: "ada", password: "correct horse ada"))
      _ = try await me.send(AuthAPI.LogOut(scope: .local))
      let ended = try await problem {
        _ = try await client.send(AuthAPI.Refresh(refreshToken: refreshed.refreshToken))
      }
      #expect(ended?.is(.refreshTokenInvalid) == true)
      _ = try await client.send(AuthAPI.Refresh(refreshToken: other.refreshToken))
      // Workers run only if the platform listens: then the access token is revoked within seconds too.
      if hosted.web != nil {
        try await eventually("the access token is refused") {
          do {
            return try await problem { _ = try await me.send(AuthAPI.GetMe()) }?.is(.sessionRevoked) == true
          } catch CallError.unknown {
            return false  // the session ended between a request and its repetition
          }
        }
      }
    }
  }

  /// From auth's outbox through the relay to a stream at the gateway, also when both are separate processes.
  @Test(arguments: [Hosting.loopback, .processes])
  func whatHappensIsStreamed(_ hosting: Hosting) async throws {
    try await Self.run(hosting) { hosted async throws in
      let ada = try await hosted.client.signUp("ada")
      let web = try #require(hosted.web)
      let response = try await web.http.send(
        ClientRequest(
          origin: web.url,
          target: "/v1/events",
          headers: [.authorization: "Bearer \(ada.accessToken)"],
          delivery: .streaming,
          timeouts: .init(total: nil)
        )
      )
      guard case .stream(let stream) = response.body else { throw TestKitError("no stream: \(response.status)") }
      let me = hosted.client.with(accessToken: ada.accessToken)
      var text = ""
      // The first frame fixes the position of the stream.
      for try await chunk in stream {
        text += String(buffer: chunk)
        if text.contains("retry:") { break }
      }
      var settings = UserSettings()
      settings.darkMode = true
      _ = try await me.send(AuthAPI.PutSettings(settings))
      for try await chunk in stream {
        text += String(buffer: chunk)
        if text.contains("event: settings.changed\ndata: {\"version\":1}\n\n") { break }
      }
      #expect(text.hasPrefix("id: 0\nretry: "))
      #expect(text.contains("event: settings.changed\ndata: {\"version\":1}\n\n"))
      // The export covers every service that stores personal data, including the gateway. No two
      // exports are equal, because each one is recorded, so the loopback hosting cannot repeat the request.
      guard hosting == .processes else { return }
      try await eventually("the export contains the event") {
        let export = try? await me.send(AuthAPI.ExportMe())
        guard case .array(let events)? = export?["services"]?["gateway"]?["events"] else { return false }
        return events.contains { $0["event"]?.string == "settings.changed" }
      }
    }
  }

  @Test(arguments: Hosting.allCases)
  func profiles(_ hosting: Hosting) async throws {
    try await Self.run(hosting) { hosted async throws in
      let ada = try await hosted.client.signUp("ada")
      let bob = try await hosted.client.signUp("bob")
      let me = hosted.client.with(accessToken: ada.accessToken)
      let (changed, response) = try await me.sendForResponse(
        AuthAPI.UpdateMe(
          ifMatch: EntityTag(version: 1),
          displayName: DisplayName(validating: " Ada L. "), details: Self.bio("Notes."))
      )
      #expect(changed.displayName == "Ada L.")
      #expect(changed.details.bio?.rawValue == "Notes.")
      #expect(changed.version == 2)
      #expect(response.header("etag") == "\"2\"")
      let stale = try await problem {
        _ = try await me.send(AuthAPI.UpdateMe(ifMatch: EntityTag(version: 1), details: Self.bio(nil)))
      }
      #expect(stale?.is(.versionMismatch) == true)
      #expect(try await me.send(AuthAPI.GetMe()) == changed)
      #expect(try await me.send(AuthAPI.UpdateMe(details: Self.bio(nil))).details.bio == nil)

      let seen = try await hosted.client.with(accessToken: bob.accessToken).send(AuthAPI.GetUser(id: ada.user.id))
      #expect(seen.displayName == "Ada L.")
      #expect(seen.username == "ada")
      let missing = try await problem { _ = try await me.send(AuthAPI.GetUser(id: IDGenerator().make())) }
      #expect(missing?.is(.userNotFound) == true)
      let anonymous = try await problem { _ = try await hosted.client.send(AuthAPI.GetUser(id: ada.user.id)) }
      #expect(anonymous?.is(.tokenMissing) == true)
    }
  }

  @Test func namesAreTakenOnceEvenInParallel() async throws {
    try await Self.run(.embedded) { hosted async throws in
      let outcomes = try await concurrently(0..<10) { _ in
        try await problem { _ = try await hosted.client.signUp("ada") }?.code ?? "created"
      }.counts
      #expect(outcomes["created"] == 1)
      #expect(outcomes["email-taken", default: 0] + outcomes["username-taken", default: 0] == 9)
      let taken = try await problem {
        _ = try await hosted.client.send(
          AuthAPI.SignUp(
            email: EmailAddress(validating: "other@example.com"), username: Username(validating: "ADA"),
            displayName: DisplayName(validating: "x"), password: Password(validating: "another good one"))
        )
      }
      #expect(taken?.is(.usernameTaken) == true)
      #expect(taken?.errors?.first?.location == "body.username")
    }
  }

  @Test func oneRotationForManyParallelRefreshes() async throws {
    try await Self.run(.embedded) { hosted async throws in
      let signed = try await hosted.client.signUp("ada")
      let successors = Set(
        try await concurrently(0..<100) { _ in
          try await hosted.client.send(AuthAPI.Refresh(refreshToken: signed.refreshToken)).refreshToken
        }
      )
      #expect(successors.count == 1)
      #expect(successors.first != signed.refreshToken)
      // The successor works and is the second generation, not the hundredth.
      let third = try await hosted.client.send(AuthAPI.Refresh(refreshToken: successors.first ?? ""))
      #expect(third.session == signed.session)
      // The first token is now two generations old: it was copied.
      let reused = try await problem {
        _ = try await hosted.client.send(AuthAPI.Refresh(refreshToken: signed.refreshToken))
      }
      #expect(reused?.is(.refreshTokenReused) == true)
      let dead = try await problem {
        _ = try await hosted.client.send(AuthAPI.Refresh(refreshToken: third.refreshToken))
      }
      #expect(dead?.is(.refreshTokenInvalid) == true)
    }
  }

  @Test(arguments: [
    "", "x", "AQGh_AOBw3OsoDFKP2iK5o8AAAAAAAAAASVBKfPasFZQQPKlOtC6wno", String(repeating: "A", count: 3000),
  ])
  func forgedRefreshTokensAreRefused(token: String) async throws {
    try await Self.run(.embedded) { hosted async throws in
      let refused = try await problem {
        _ = try await hosted.client.send(AuthAPI.Refresh(refreshToken: token))
      }
      #expect(refused?.is(.refreshTokenInvalid) == true)
    }
  }

  @Test func internalEndpointsAreNotReachable() async throws {
    try await Self.run(.embedded) { hosted async throws in
      let hidden = try await problem {
        _ = try await hosted.client.send(AuthAPI.ListRevokedSessions(since: Timestamp(microseconds: 0)))
      }
      #expect(hidden?.is(.notFound) == true)
    }
  }
}
