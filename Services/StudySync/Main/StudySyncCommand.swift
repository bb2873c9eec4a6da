import ArgumentParser
import ServiceKit
import StudySyncService

@main
struct StudySyncCommand: HostCommand {
  static let plugins: [any ServicePlugin.Type] = [StudySyncPlugin.self]
  static let configuration: CommandConfiguration = hosting(
    "study-sync",
    "Offline-first study sets, reviews, quizzes, courses and workouts."
  )
}
