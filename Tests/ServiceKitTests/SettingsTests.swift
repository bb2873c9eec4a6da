import Contracts
import Foundation
import Logging
import TestKit
import Testing

@testable import ServiceKit

struct SettingsTests {
  @Test func commandLineBeforeEnvironmentBeforeFileBeforeDefault() async throws {
    try await TemporaryFolder.run { folder async throws in
      try "PORT=1\nHOST=file\nLOG_LEVEL=debug\n".write(toFile: "\(folder)/.env", atomically: true, encoding: .utf8)
      let settings = try await Settings(
        arguments: ["--port", "3"],
        environment: ["PORT": "2", "HOST": "environment"],
        environmentFile: "\(folder)/.env"
      )
      #expect(try settings[PlatformSettings.port] == 3)
      #expect(try settings[PlatformSettings.host] == "environment")
      #expect(try settings[PlatformSettings.logLevel] == .debug)
      #expect(try settings[PlatformSettings.idleSeconds] == 60)
      let text = try settings.describe(PlatformSettings.all)
      #expect(text.contains("port = 3"))
      #expect(text.contains("From: command line"))
      #expect(text.contains("--http-head-seconds   HTTP_HEAD_SECONDS"))
    }
  }

  @Test func secretsComeFromFilesAndAreNeverShown() async throws {
    try await TemporaryFolder.run { folder async throws in
      try "  hush\n".write(toFile: "\(folder)/secret", atomically: true, encoding: .utf8)
      let settings = try await Settings(environment: ["DATABASE_URL_FILE": "\(folder)/secret"])
      #expect(try settings[PlatformSettings.databaseURL] == "hush")
      #expect(try !settings.describe(PlatformSettings.all).contains("hush"))
      let wrong = try await Settings(environment: ["SERVICE_PRIVATE_KEYS": "c2hvcnQ="])
      let error = #expect(throws: SettingError.self) { try wrong[ServiceSettings.privateKeys] }
      #expect(error?.description.contains("SERVICE_PRIVATE_KEYS") == true)
      #expect(error?.description.contains("c2hvcnQ") == false)
    }
  }

  @Test func wrongValuesAreNamedWithWhatIsExpected() async throws {
    let settings = try await Settings(environment: ["PORT": "eighty"])
    let error = #expect(throws: SettingError.self) { try settings[PlatformSettings.port] }
    #expect(
      error?.description.contains(
        "setting port is \"eighty\" (from environment); it must be a whole number from 0 to 65535"
      ) == true
    )
    #expect(throws: Never.self) {
      try Settings.checkFlags(in: ["--port", "1", "--database-url-file=x"], known: PlatformSettings.all)
    }
  }

  @Test func defaultsAreWrittenAsPeopleWriteThem() throws {
    let described = try Settings([:]).describe(PlatformSettings.all).split(separator: "\n")
    #expect(described.contains("http.answerSeconds = 1m"))
    #expect(described.contains("http.trustedProxies = (none)"))
    #expect(described.contains("database.url = (unset)"))
    #expect(described.contains("port = 8080"))
  }

  /// The gateway is in front of every service whose URL is set, by whatever means.
  @Test func servicesAreFoundByTheirURLs() async throws {
    let variables = ["SERVICES_AUTH_URL": "http://a", "SERVICES_STUDY_SYNC_URL": "http://b", "SERVICE_URL": "http://c"]
    try await TemporaryFolder.run { folder in
      let file = "\(folder)/.env"
      try Data("SERVICES_ORDERS_URL=http://d\n# SERVICES_NOTES_URL=http://e\n".utf8).write(to: URL(filePath: file))
      let settings = try await Settings(
        arguments: ["--services-catalog-url", "http://f", "--port=1"], environment: variables, environmentFile: file
      )
      #expect(settings.services == ["auth", "catalog", "orders", "study-sync"])
      for service in settings.services { #expect(try settings[PlatformSettings.url(of: service)]?.count == 1) }
    }
    #expect(Settings(["services.study-sync.url": "http://a", "services.x": "y"]).services == ["study-sync"])
  }

  @Test(arguments: [
    ("--prot", "did you mean --port?"), ("--http-headseconds=3", "did you mean --http-head-seconds?"),
    ("--databse-url", "did you mean --database-url?"), ("--colour", "`config` lists them all"),
  ])
  func aNearMissSuggestsTheNameMeant(flag: String, hint: String) {
    let error = #expect(throws: SettingError.self) { try Settings.checkFlags(in: [flag], known: PlatformSettings.all) }
    #expect(error?.description.hasSuffix(hint) == true, "\(error?.description ?? "")")
  }

  @Test(
    arguments: [
      ("15", 15.0), ("0.5", 0.5), ("500ms", 0.5), ("90s", 90), ("2m", 120), ("1.5m", 90), ("x", nil), ("5 m", nil),
      ("10h", nil), ("-1s", nil), ("s", nil), ("1e400", nil), ("0.05s", nil),
    ] as [(String, Double?)])
  func durationsHaveUnits(text: String, seconds: Double?) async throws {
    let settings = try await Settings(environment: ["HTTP_HEAD_SECONDS": text])
    #expect((try? settings[PlatformSettings.headSeconds]) == seconds)
    guard seconds == nil else { return }
    let error = #expect(throws: SettingError.self) { try settings[PlatformSettings.headSeconds] }
    #expect(error?.description.contains("a duration from 100ms to 5m, such as 15s") == true)
  }

  /// No setting splits an acronym: `AUTH_PUBLIC_URL`, not `AUTH_PUBLIC_U_R_L`.
  @Test func namesHaveNoSplitAcronyms() {
    for setting in PlatformSettings.all {
      let variable = Settings.variable(setting.key)
      #expect(variable.firstMatch(of: /(^|_)[A-Z](_|$)/) == nil, "\(variable)")
    }
  }

  @Test func aPortInUseIsNamedBeforeADatabaseIsTouched() async throws {
    let server = try ScriptedServer { _ in }
    defer { server.stop() }
    let port = try #require(server.origin.split(separator: ":").last)
    try await TemporaryFolder.run { folder async throws in
      let output = try await Command.run(
        [
          ServiceProcess.executable("auth").path, "serve", "--port", "\(port)", "--data", folder,
        ],
        expects: 78
      )
      #expect(output.contains("127.0.0.1:\(port) cannot be listened on: the port is in use."), "\(output)")
      #expect(output.contains("--port"))
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == [])
    }
  }
}
