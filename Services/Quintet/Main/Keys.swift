import ArgumentParser
import AuthService
import ServiceKit

/// `quintet keys`: the encryption keys of personal data, and the keys that sign access tokens and services' calls.
struct Keys: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Manage encryption and signing keys.",
    subcommands: [Rotate.self, Service.self, SigningKeyCommand<QuintetCommand>.self])

  struct Service: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Manage the keys with which services sign their calls.",
      subcommands: [RotateServiceKeys<QuintetCommand>.self])
  }

  struct Rotate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Re-encrypt all personal data with a new key.",
      discussion: """
        If the keys are in the data folder's key file, a new key is added at its front; running processes reload it \
        automatically. If the setting data.keys is used, add the new key at the front, restart the services, then run \
        this command.
        """
    )

    @Argument(parsing: .allUnrecognized, help: "Settings as --key value.") var settings: [String] = []

    func run() async throws {
      try await QuintetCommand.operating(settings) { platform in
        print("\(try await platform.rotateDataKeys()) values re-encrypted")
      }
    }
  }
}
