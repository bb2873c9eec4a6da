public import ArgumentParser
import Contracts

/// `<executable> jobs`: background jobs that wait, and those that have failed for good.
public struct JobsCommand<Host: HostCommand>: AsyncParsableCommand {
  public static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "jobs", abstract: "Show the background jobs, or retry those that have failed for good.",
      subcommands: [ListJobs<Host>.self, RetryJobs<Host>.self], defaultSubcommand: ListJobs<Host>.self)
  }

  public init() {}
}

/// Prints the queues and the dropped jobs.
public struct ListJobs<Host: HostCommand>: AsyncParsableCommand {
  public static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "list",
      abstract: "Print how many jobs wait, and the last jobs that were dropped, with their reasons.",
      discussion: "Dropped jobs are kept for 30 days, or until the account of their user is deleted.")
  }

  @Argument(parsing: .allUnrecognized, help: "Settings as --key value.") var settings: [String] = []

  public init() {}

  public func run() async throws {
    try await Host.operating(settings) { platform in
      for queues in platform.jobQueues {
        let service = queues.service
        for queue in try await queues.list() {
          print(
            "\(service) \(queue.kind): \(queue.due) due, \(queue.later) running or due later, \(queue.dropped) dropped")
        }
        for job in try await queues.dropped() {
          print(
            "\(service) \(job.kind) \(job.id): dropped at \(job.droppedAt) after \(job.attempts) attempts: \(job.failure)"
          )
        }
      }
    }
  }
}

/// Makes dropped jobs due again.
public struct RetryJobs<Host: HostCommand>: AsyncParsableCommand {
  public static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "retry", abstract: "Run jobs again that were dropped, with as many attempts as new ones.")
  }

  @Option(help: "Only the job with this ID; by default all of them.") var id: String?
  @Argument(parsing: .allUnrecognized, help: "Settings as --key value.") var settings: [String] = []

  public init() {}

  public func run() async throws {
    try await Host.operating(settings) { platform in
      var count = 0
      for queues in platform.jobQueues { count += try await queues.retry(id) }
      if let id, count == 0 { throw SettingError(message: "there is no dropped job \(id)") }
      print("\(count) jobs are due again")
    }
  }
}
