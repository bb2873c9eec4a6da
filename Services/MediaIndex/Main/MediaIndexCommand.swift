import ArgumentParser
import MediaIndexService
import ServiceKit

@main
struct MediaIndexCommand: HostCommand {
  static let plugins: [any ServicePlugin.Type] = [MediaIndexPlugin.self]
  static let configuration: CommandConfiguration = hosting(
    "media-index",
    "Uploads, pictures, audio, video, search and live workouts."
  )
}
