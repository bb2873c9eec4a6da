import ArgumentParser
import AuthService
import GatewayService
import ServiceKit

@main
struct QuintetCommand: HostCommand {
  static let plugins: [any ServicePlugin.Type] = [GatewayPlugin.self, AuthPlugin.self]
  static let configuration: CommandConfiguration = hosting(
    "quintet",
    "The whole platform in one process.",
    commands: [Accounts.self, Clients.self, Keys.self, Audit.self]
  )
}
