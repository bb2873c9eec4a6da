import ArgumentParser
import OrdersService

/// `quintet orders`: what operators do with orders.
struct OrdersOperations: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "orders", abstract: "Reconcile payments with their providers.",
    subcommands: [ReconcileCommand<QuintetCommand>.self])
}
