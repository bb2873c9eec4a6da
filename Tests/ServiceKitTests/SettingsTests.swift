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
      let wrong = try await Settings(environment: ["SERVICE_KEYS": "c2hvcnQ="])
      let error = #expect(throws: SettingError.self) { try PlatformSettings.secrets(wrong) }
      #expect(error?.description.contains("SERVICE_KEYS") == true)
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
    #expect(throws: SettingError.self) { try Settings.checkFlags(in: ["--prot", "1"], known: PlatformSettings.all) }
    #expect(throws: Never.self) {
      try Settings.checkFlags(in: ["--port", "1", "--database-url-file=x"], known: PlatformSettings.all)
    }
  }
}
