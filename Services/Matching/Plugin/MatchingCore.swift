import Contracts
import Logging
import Observability
import Persistence
import PlatformRules
import ServiceKit
import Threads

/// The dependencies that the features of matching share.
struct MatchingCore: Sendable {
  let environment: ServiceEnvironment
  let database: any Database
  let ids: IDGenerator
  let time: TimeSource
  let keys: DataKeys
  let logger: Logger
  let names: PublicNames
  /// For what takes milliseconds of processor time.
  let threads: WorkThreads

  init(_ environment: ServiceEnvironment) throws {
    self.environment = environment
    (database, ids, time) = (try environment.database, environment.ids, environment.time)
    (keys, logger) = (environment.dataKeys, environment.logger)
    names = PublicNames(environment)
    let threads = WorkThreads(
      named: "matching", waiting: 256,
      refusal: Problem(.overloaded, detail: "Too many decks and searches are being computed.", retryAfter: 1))
    environment.metrics.gauge("matching_queue_depth", help: "Decks, suggestions and searches waiting to be computed.") {
      Double(threads.depth)
    }
    self.threads = threads
  }

  /// The signed-in user.
  ///
  /// - Parameter purpose: What guests must sign up for.
  /// - Throws: ``Problem`` for guests, who cannot be held responsible: whoever was blocked would return as another one.
  static func member(_ call: Call, _ purpose: String) throws -> UserCaller {
    let user = try call.user
    guard !user.roles.contains(.guest) else {
      throw Problem(.forbidden, detail: "Guests must sign up to \(purpose).")
    }
    return user
  }
}
