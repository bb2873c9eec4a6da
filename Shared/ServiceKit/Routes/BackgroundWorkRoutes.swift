import Contracts
import Events
import Persistence

extension Routes {
  /// Lets auth show administrators the service's jobs and dead letters, and try again what has failed.
  mutating func addBackgroundWork(_ database: any Database) {
    let letters = DeadLetterQueue(of: manifest.name, database)
    let jobs = JobQueues(of: manifest.name, database)
    on(BackgroundWorkAPI.ListDeadLetters.self) { _, _ in try await letters.summary() }
    on(BackgroundWorkAPI.RetryDeadLetters.self) { request, _ in
      let selection = DeadLetterSelection(type: request.type, eventID: request.eventID)
      return RetriedWork(count: try await letters.retry(selection))
    }
    on(BackgroundWorkAPI.ListJobs.self) { _, _ in try await jobs.summary() }
    on(BackgroundWorkAPI.RetryJobs.self) { request, _ in
      RetriedWork(count: try await jobs.retry(request.id, kind: request.kind))
    }
  }
}
