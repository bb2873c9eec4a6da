import ArgumentParser
import AuthService
import ServiceKit

@main
struct AuthCommand: HostCommand {
  static let plugins: [any ServicePlugin.Type] = [AuthPlugin.self]
  static let configuration: CommandConfiguration = hosting(
    "auth", "Accounts, sign-in, sessions and profiles.", commands: [AuthKeys.self])
}

/// `auth keys`: the keys of the service.
struct AuthKeys: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "keys", abstract: "Manage the keys that sign access tokens.",
    subcommands: [SigningKeyCommand<AuthCommand>.self])
}
