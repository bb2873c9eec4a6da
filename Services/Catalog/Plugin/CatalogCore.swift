import Contracts
import Logging
import Persistence
import PlatformRules
import ServiceKit

/// What the features of catalog share.
final class CatalogCore: Sendable {
  let environment: ServiceEnvironment
  let database: any Database
  let ids: IDGenerator
  let time: TimeSource
  let keys: DataKeys
  let logger: Logger
  let names: PublicNames
  let owners: ListingOwners
  let media: MediaUses
  let mailer: Mailer

  init(_ environment: ServiceEnvironment) throws {
    self.environment = environment
    (database, ids, time) = (try environment.database, environment.ids, environment.time)
    (keys, logger) = (environment.dataKeys, environment.logger)
    names = PublicNames(environment)
    owners = ListingOwners(names: names)
    media = MediaUses(environment)
    mailer = try Mailer(environment)
  }
}
