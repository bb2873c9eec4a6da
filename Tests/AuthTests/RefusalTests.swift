import AuthService
import Contracts
import Observability
import ServiceKit
import TestKit
import Testing

/// Bursts of refusals are seen: the metric counts them, and `compose/alerts.yaml` has rules for it.
@Suite(.serialized)
struct RefusalTests {
  private static func count(_ kind: String, of service: String, in text: String) -> Int? {
    let series = "security_refusals_total{service=\"\(service)\",kind=\"\(kind)\"} "
    return text.split(separator: "\n").first { $0.hasPrefix(series) }.flatMap { Int($0.dropFirst(series.count)) }
  }

  @Test func guessesAreCounted() async throws {
    try await TestPlatform.auth { host async throws in
      let ada = try await host.signUp("ada")
      for _ in 0..<3 { #expect(try await problem { _ = try await host.logIn("ada", "wrong") }?.status == 401) }
      let forged = host.client.with(accessToken: ada.accessToken + "x")
      for _ in 0..<2 { #expect(try await problem { _ = try await forged.send(AuthAPI.GetMe()) }?.status == 401) }
      let me = host.client.with(accessToken: ada.accessToken)
      #expect(try await problem { _ = try await me.send(AuthAPI.AdminListUsers()) }?.status == 403)
      // Harmless mistakes of users are not counted.
      #expect(try await problem { _ = try await me.send(AuthAPI.EndSession(id: host.ids.make())) }?.status == 404)
      let text = host.platform.metrics.text()
      #expect(Self.count("password", of: "auth", in: text) == 3)
      #expect(Self.count("token", of: "gateway", in: text) == 2)
      #expect(Self.count("staff", of: "auth", in: text) == 1)
      #expect(Self.count("staff", of: "gateway", in: text) == 0)
      #expect(text.split(separator: "\n").count { $0.hasPrefix("security_refusals_total{") } == 6)
    }
  }
}
