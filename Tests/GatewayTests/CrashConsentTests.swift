import AuthService
import Contracts
import Persistence
import ServiceKit
import TestKit
import Testing

@testable import GatewayService

/// Crash reports of signed-in users need their consent to analytics (LS21).
@Suite(.serialized)
struct CrashConsentTests {
  @Test(arguments: TestDatabase.allCases)
  func reportsOfUsersNeedTheirConsent(_ database: TestDatabase) async throws {
    try await TestPlatform.run([GatewayPlugin.self, AuthPlugin.self], database: database) { host async throws in
      let ada = TestUser(try await host.client.signUp("ada"), host.client)
      let report = GatewayAPI.ReportCrash(
        app: .keepfit, version: try ShortText(validating: "1.2.3"), device: try ShortText(validating: "iPhone14,2"),
        text: try CrashText(validating: "Fatal error"))
      func count() async throws -> Int {
        try await host.platform.database(of: GatewayAPI.name)?.read { db in
          try db.count("SELECT COUNT(*) FROM crash_reports")
        } ?? -1
      }
      let refused = try await problem { _ = try await ada.client.send(report) }
      #expect(refused?.code == "consent-required")
      #expect(refused?.errors?.map(\.message) == ["analytics"])
      #expect(try await count() == 0)
      try await ada.client.consent(to: .analytics)
      _ = try await ada.client.send(report)
      #expect(try await count() == 1)
      // A withdrawal takes effect at once, although the token is the same.
      try await ada.client.consent(to: .analytics, isGiven: false)
      let again = try await problem { _ = try await ada.client.send(report) }
      #expect(again?.is(.consentRequired) == true)
      // A report without a token names nobody.
      _ = try await host.client.send(report)
      #expect(try await count() == 2)
    }
  }
}
