import ArgumentParser
import AuthService
import CatalogService
import GatewayService
import MatchingService
import MediaIndexService
import OrdersService
import ServiceKit
import StudySyncService

@main
struct QuintetCommand: HostCommand {
  static let plugins: [any ServicePlugin.Type] = [
    GatewayPlugin.self, AuthPlugin.self, CatalogPlugin.self, OrdersPlugin.self,
    MatchingPlugin.self, StudySyncPlugin.self, MediaIndexPlugin.self,
  ]
  static let configuration: CommandConfiguration = hosting(
    "quintet",
    "The whole platform in one process.",
    commands: [
      Accounts.self, Clients.self, Keys.self, Audit.self, MediaCommand.self, OrdersOperations.self, Backup.self,
      Restore.self, VerifyBackup.self, Move.self,
    ]
  )
}
