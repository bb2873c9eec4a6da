import Contracts
import CurlClient
import Foundation
import ServiceKit
import TestKit
import Testing

/// The version before this one and this one on one database, as in an upgrade without a pause. `scripts/check-upgrade`
/// builds the version before and runs this.
@Suite(.serialized)
struct UpgradeTests {
  private static let previous = ProcessInfo.processInfo.environment["QUINTET_PREVIOUS_PRODUCTS"]

  @Test(.enabled(if: previous != nil, "run by scripts/check-upgrade")) func twoVersionsRunSideBySide() async throws {
    let previous = try #require(Self.previous)
    try await TestDatabase.postgresql.withSettings { database in
      try await TemporaryFolder.run { folder in
        try await Command.run([
          "openssl", "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out",
          "\(folder)/signing.pem",
        ])
        let common = [
          "AUTH_SIGNING_KEYS_FILE": "\(folder)/signing.pem", "DATABASE_CONNECTIONS": "2", "LOG_LEVEL": "error",
          "LIMITS_SIGN_IN": "0/1",
        ]
        let settings = Dictionary(
          uniqueKeysWithValues: database.map { (ServiceHost.environmentVariable(of: $0.key), $0.value) }
        ).merging(common) { $1 }
        func start(_ version: String?) async throws -> ServiceProcess {
          let own = ["DATA": "\(folder)/\(version == nil ? "new" : "old")"]
          return try await ServiceProcess("quintet", settings: settings.merging(own) { $1 }, products: version)
        }
        var old = try await start(previous)
        try await signUp("early", at: old)
        let new = try await start(nil)
        try await signUp("late", at: new)
        try await shareData("early", old, new)
        try await shareData("late", new, old)
        // The older version starts on a database that the newer one has migrated.
        await old.terminate()
        old = try await start(previous)
        try await shareData("early", new, old)
        try await shareData("late", old, new)
        await old.terminate()
        await new.terminate()
      }
    }
  }

  private func signUp(_ name: String, at process: ServiceProcess) async throws {
    try await CurlClient.running { http in
      _ = try await APIClient(transport: CurlTransport(client: http, origin: process.url)).signUp(name)
    }
  }

  /// A user writes at one process and reads at the other.
  private func shareData(_ name: String, _ first: ServiceProcess, _ second: ServiceProcess) async throws {
    try await CurlClient.running { http in
      func user(at process: ServiceProcess) async throws -> TestUser {
        let client = APIClient(transport: CurlTransport(client: http, origin: process.url))
        return TestUser(try await client.send(AuthAPI.LogIn(login: name, password: "correct horse \(name)")), client)
      }
      let (writer, reader) = (try await user(at: first), try await user(at: second))
      let set = try await writer.insist(StudyAPI.CreateSet(title: SetTitle(validating: "Set")), key: UUID().uuidString)
      let reminder = try await writer.insist(
        AuthAPI.CreateReminder(
          title: ShortText(validating: "Read"), localTime: LocalTime(validating: "2080-01-01T08:00:00"),
          timeZone: TimeZoneName(validating: "Europe/London")), key: UUID().uuidString)
      #expect(try await reader.insist(StudyAPI.ListSets()).items.contains { $0.id == set.id })
      #expect(try await reader.insist(AuthAPI.ListReminders()).items.contains { $0.id == reminder.id })
    }
  }
}
