import ArgumentParser
import AuthService
import ServiceKit

@main
struct AuthCommand: HostCommand {
  static let plugins: [any ServicePlugin.Type] = [AuthPlugin.self]
  static let configuration: CommandConfiguration = hosting("auth", "Accounts, sign-in, sessions and profiles.")
}
