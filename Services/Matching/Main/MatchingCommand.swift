import ArgumentParser
import MatchingService
import ServiceKit

@main
struct MatchingCommand: HostCommand {
  static let plugins: [any ServicePlugin.Type] = [MatchingPlugin.self]
  static let configuration: CommandConfiguration = hosting(
    "matching",
    "Roommates, connections, follows, blocks and conversations."
  )
}
