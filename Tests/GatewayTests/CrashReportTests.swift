import AuthService
import Contracts
import CurlClient
import Foundation
import HTTPTypes
import Persistence
import ServiceKit
import TestKit
import Testing

@testable import GatewayService

/// Crash reports of apps, and who reads them.
@Suite(.serialized)
struct CrashReportTests {
  @Test func appsReportTheirCrashes() async throws {
    // It stands still, so that the code of the authenticator app is in time.
    let time = ManualTime(TimeSource.system.now())
    try await TestPlatform.listen([GatewayPlugin.self, AuthPlugin.self], time: time) { test, web async throws in
      let (url, client, folder) = (web.url, web.http, test.folder)
      let api = APIClient(transport: CurlTransport(client: client, origin: url))
      func report(_ text: String) async throws -> CrashReport {
        try await api.send(
          GatewayAPI.ReportCrash(
            app: .keepfit, version: ShortText(validating: "1.2.3"), device: ShortText(validating: "iPhone14,2"),
            text: CrashText(validating: text))
        )
      }
      let first = try await report("Fatal error: 1")
      let second = try await report("Fatal error: 2")
      let list = GatewayAPI.ListCrashReports(app: .keepfit, limit: PageSize(checked: 1))
      await #expect(throws: CallError.self) { try await api.send(list) }
      try await Command.run(
        [
          ServiceProcess.executable("quintet").path, "accounts", "create", "--email", "s@example.com", "--username",
          "support", "--role", "support", "--password-from-input", "--data", folder,
        ],
        input: "support password\n"
      )
      time.advance(seconds: TimeSource.system.now().seconds(since: time.source.now()))
      let password = try await api.send(AuthAPI.LogIn(login: "support", password: "support password"))
      #expect(password.missingFactor == .enrol)
      let refused = try await problem { _ = try await api.with(accessToken: password.accessToken).send(list) }
      #expect(refused?.status == 403)
      let session = try await api.setUpAuthenticatorApp(password, at: time.source.now()).session
      let support = api.with(accessToken: session.accessToken)
      let page = try await support.send(list)
      #expect(page.items == [second])
      var next = list
      next.cursor = page.nextCursor
      #expect(try await support.send(next).items == [first])
      #expect(try await support.send(GatewayAPI.ListCrashReports(app: .roomi)).items.isEmpty)
      let large = try await client.send(
        ClientRequest(
          .post,
          origin: url,
          target: "/v1/crash-reports",
          headers: [.contentType: "application/json"],
          body: .bytes(Array(repeating: 32, count: 70_000))
        )
      )
      #expect(large.status == 413)
    }
  }

  /// Reports of signed-in users need their consent to analytics (LS21).
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
      // A report without a token names no user.
      _ = try await host.client.send(report)
      #expect(try await count() == 2)
    }
  }
}
