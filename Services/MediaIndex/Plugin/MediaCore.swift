import BlobStorage
import Contracts
import Logging
import Persistence
import ServiceKit

/// What the features of media-index share.
struct MediaCore: Sendable {
  let environment: ServiceEnvironment
  let database: any Database
  let ids: IDGenerator
  let time: TimeSource
  let logger: Logger
  let media: MediaStore
  let blobs: MediaBlobs
  /// The jobs that process new media.
  let processing: PendingJobs<ProcessMedia>

  init(_ environment: ServiceEnvironment) async throws {
    self.environment = environment
    (database, ids, time) = (try environment.database, environment.ids, environment.time)
    logger = environment.logger
    let observers: [any MediaObserver] = []
    media = MediaStore(keys: environment.dataKeys, observers: observers)
    blobs = MediaBlobs(storage: try await MediaStorage.open(environment), database: database)
    processing = PendingJobs(ProcessMedia.kind, environment)
  }
}
