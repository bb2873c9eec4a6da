import ArgumentParser
import CatalogService
import ServiceKit

@main
struct CatalogCommand: HostCommand {
  static let plugins: [any ServicePlugin.Type] = [CatalogPlugin.self]
  static let configuration: CommandConfiguration = hosting(
    "catalog",
    "Listings, products, posts, exercises, site content, contact messages and the newsletter."
  )
}
