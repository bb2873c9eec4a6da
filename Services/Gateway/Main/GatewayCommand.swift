import ArgumentParser
import GatewayService
import ServiceKit

@main
struct GatewayCommand: HostCommand {
  static let plugins: [any ServicePlugin.Type] = [GatewayPlugin.self]
  static let configuration: CommandConfiguration = hosting("gateway", "The edge of the platform.")
}
