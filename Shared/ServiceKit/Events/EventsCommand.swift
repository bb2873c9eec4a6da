import ArgumentParser
package import Contracts
import Persistence

/// `events`: what operators do with events.
struct EventsCommand<Host: HostCommand>: AsyncParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "events", abstract: "Deliver events again.", subcommands: [ReplayEvents<Host>.self])
  }
}

/// `events replay`: for consumers that have lost what they had received.
struct ReplayEvents<Host: HostCommand>: AsyncParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "replay",
      abstract: "Deliver the events again that were recorded since a time.",
      discussion: """
        For a consumer whose database was restored from a backup: give the time of the backup. Events that a consumer \
        remembers are not applied again. Services retain events for up to 7 days; a new consumer receives them by itself. \
        Running processes begin within seconds.
        """
    )
  }

  @Option(help: "A time such as 2026-11-20T14:30:00Z.") var since: String
  @Option(help: "The consuming service; all of them by default.") var subscriber: String?
  @Argument(parsing: .allUnrecognized, help: "Settings as --key value.") var settings: [String] = []

  func run() async throws {
    guard let time = Timestamp(since) else { throw ValidationError("--since \(since) is not a time") }
    try await Host.operating(settings) { platform in
      let replayed = try await platform.replayEvents(since: time, to: subscriber)
      for item in replayed { print("\(item.service) to \(item.subscriber): \(item.events) events") }
      guard replayed.isEmpty else { return }
      throw ValidationError(
        subscriber.map { "no service has events to which \($0) subscribes" } ?? "no service has subscribers")
    }
  }
}

extension Platform {
  /// Delivers events of the services of this process again; see ``Outbox/replay(since:to:)``.
  package func replayEvents(
    since: Timestamp, to subscriber: String? = nil
  ) async throws -> [(service: String, subscriber: String, events: Int)] {
    var replayed: [(service: String, subscriber: String, events: Int)] = []
    for service in services where !service.manifest.emits.isEmpty {
      guard let database = service.database else { continue }
      for item in try await Outbox(database: database).replay(since: since, to: subscriber) {
        replayed.append((service.manifest.name, item.subscriber, item.events))
      }
    }
    return replayed
  }
}
