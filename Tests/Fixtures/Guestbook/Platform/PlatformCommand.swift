import ArgumentParser
import AuthService
import GatewayService
import Guestbook
import ServiceKit

/// The guestbook in one process with the gateway and the accounts of Quintet.
@main
struct PlatformCommand: HostCommand {
  static let plugins: [any ServicePlugin.Type] = [GatewayPlugin.self, AuthPlugin.self, GuestbookPlugin.self]
  static let configuration: CommandConfiguration = hosting("platform", "A platform with a guestbook.")
}
