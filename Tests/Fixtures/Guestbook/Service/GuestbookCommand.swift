import ArgumentParser
import Guestbook
import ServiceKit

/// The guestbook as a process of its own.
@main
struct GuestbookCommand: HostCommand {
  static let plugins: [any ServicePlugin.Type] = [GuestbookPlugin.self]
  static let configuration: CommandConfiguration = hosting("guestbook", "Visitors leave notes.")
}
