import ArgumentParser
import OrdersService
import ServiceKit

@main
struct OrdersCommand: HostCommand {
  static let plugins: [any ServicePlugin.Type] = [OrdersPlugin.self]
  static let configuration: CommandConfiguration = hosting(
    "orders",
    "Carts, orders, payments, auctions, offers and licenses.",
    commands: [ReconcileCommand<OrdersCommand>.self]
  )
}
