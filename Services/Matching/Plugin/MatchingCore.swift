import Contracts
import Logging
import Persistence
import ServiceKit

/// What the features of matching share.
struct MatchingCore: Sendable {
  let environment: ServiceEnvironment
  let database: any Database
  let ids: IDGenerator
  let time: TimeSource
  let keys: DataKeys
  let logger: Logger
  let names: PublicNames
  let threads: MatchingThreads

  init(_ environment: ServiceEnvironment) throws {
    self.environment = environment
    (database, ids, time) = (try environment.database, environment.ids, environment.time)
    (keys, logger) = (environment.dataKeys, environment.logger)
    names = PublicNames(environment)
    threads = MatchingThreads(environment.metrics)
  }
}
