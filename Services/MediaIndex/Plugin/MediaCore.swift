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

  init(_ environment: ServiceEnvironment) throws {
    self.environment = environment
    (database, ids, time) = (try environment.database, environment.ids, environment.time)
    logger = environment.logger
  }
}
