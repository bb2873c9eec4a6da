import Foundation
import ServiceKit
import TestKit
import Testing

/// How processes start on a PostgreSQL.
@Suite(.serialized)
struct StartTests {
  /// Ten instances of a service are started at the same time on an empty database; all of them come up.
  @Test func instancesStartTogetherOnAnEmptyDatabase() async throws {
    try await TestDatabase.postgresql.withSettings { database in
      try await TemporaryFolder.run { folder in
        try await Command.run([
          "openssl", "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out",
          "\(folder)/signing.pem",
        ])
        let settings = Dictionary(
          uniqueKeysWithValues: database.map { (ServiceHost.environmentVariable(of: $0.key), $0.value) }
        ).merging([
          "AUTH_SIGNING_KEYS_FILE": "\(folder)/signing.pem", "DATABASE_CONNECTIONS": "2", "LOG_LEVEL": "error",
        ]) { $1 }
        let started = try await concurrently(0..<10) { number in
          let own = ["DATA": "\(folder)/\(number)"]
          do {
            return Result<ServiceProcess, any Error>.success(
              try await ServiceProcess("auth", settings: settings.merging(own) { $1 }))
          } catch { return .failure(error) }
        }
        for case .failure(let error) in started { Issue.record(error) }
        for case .success(let process) in started { #expect(await process.terminate() == 0) }
      }
    }
  }

  /// A dependency that cannot be reached at the start is named with its setting.
  @Test func aMissingDatabaseIsNamedWithItsSetting() async throws {
    try await TemporaryFolder.run { folder in
      let settings = [
        "DATA": folder, "DATABASE_URL": "postgres://quintet@127.0.0.1:\(try reservedPort())/postgres",
        "DATA_KEYS": "a:\(Data(count: 32).base64EncodedString()),lookup:\(Data(count: 32).base64EncodedString())",
      ]
      let error = await #expect(throws: TestKitError.self) { _ = try await ServiceProcess("auth", settings: settings) }
      #expect(error?.description.contains("setting database.url names a server that does not answer") == true)
    }
  }
}
