import Contracts
import Logging
import Persistence
import PlatformRules
import ServiceKit

/// The dependencies that the features of study-sync share.
struct StudyCore: Sendable {
  let environment: ServiceEnvironment
  let database: any Database
  let ids: IDGenerator
  let time: TimeSource
  let keys: DataKeys
  let logger: Logger
  let names: PublicNames
  let restricted: RestrictedFeatures
  let consents: ConsentCheck
  let records: RecordStore
  let log: LogStore
  let observers: [any StudyObserver]
  var attemptObservers: [any AttemptObserver]

  init(_ environment: ServiceEnvironment) throws {
    self.environment = environment
    (database, ids, time) = (try environment.database, environment.ids, environment.time)
    (keys, logger) = (environment.dataKeys, environment.logger)
    names = PublicNames(environment)
    consents = ConsentCheck(environment)
    restricted = try RestrictedFeatures(environment.settings)
    (records, log) = (RecordStore(keys: keys), LogStore(keys: keys))
    observers = [
      StudyLogObserver(environment, records, restricted), SetVisitObserver(), SetMembersObserver(),
      LibraryObserver(environment),
      WorkoutObserver(keys: environment.dataKeys),
    ]
    attemptObservers = [CourseTests(ids: environment.ids)]
  }

  /// Writes to spaces on behalf of a user, in one transaction; the devices of everyone concerned are notified.
  ///
  /// - Parameter device: The device that knows the changes already; unset for changes through plain endpoints.
  func write<Value>(
    as user: UserID, device: StudyDeviceID? = nil, in tx: Transaction, _ body: (SpaceWriter) throws -> Value
  ) throws -> Value {
    let writer = SpaceWriter(core: self, user: user, device: device, tx: tx)
    let value = try body(writer)
    try writer.finish()
    return value
  }
}
