import ArgumentParser
import ServiceKit

/// `quintet keys`: the keys of personal data.
struct Keys: AsyncParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Keys of personal data.", subcommands: [Rotate.self])

  struct Rotate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Encrypt all personal data under a new key.",
      discussion: """
        With the file of keys in the data folder, a new key is put in front of it; running processes read it again by \
        themselves. With the setting data.keys, put the new key in front yourself, restart the services, and run this.
        """
    )

    @Argument(parsing: .allUnrecognized, help: "Settings as --key value.") var settings: [String] = []

    func run() async throws {
      try await QuintetCommand.operating(settings) { platform in
        print("\(try await platform.rotateDataKeys()) values encrypted anew")
      }
    }
  }
}
