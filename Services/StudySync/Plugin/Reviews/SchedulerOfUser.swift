import Contracts
import Persistence
import ServiceKit
import StudyModel

/// The scheduler's settings through plain endpoints; devices synchronize them as a record.
struct SchedulerOfUser: Feature {
  private let core: StudyCore

  init(_ core: StudyCore) { self.core = core }

  func register(in routes: inout Routes) {
    routes.on(StudyAPI.GetScheduler.self) { _, call in try await get(of: call.user.id) }
    routes.on(StudyAPI.UpdateScheduler.self, update)
  }

  private func get(of user: UserID) async throws -> StudyScheduler {
    try await core.database.read { [core] db in try Self.scheduler(of: user, core, in: db) }
  }

  private func update(_ request: StudyAPI.UpdateScheduler, _ call: Call) async throws -> StudyScheduler {
    let (user, fields) = (try call.user.id, try Self.fields(of: request))
    return try await core.database.write { [core] tx in
      if !fields.members.isEmpty {
        do {
          try core.write(as: user, in: tx) { writer in try SettingsWriter.set(fields, of: user, writer) }
        } catch let rejection as SyncRejection {
          let field = rejection.field?.split(separator: ".").last ?? ""
          throw Problem(
            .invalidRequest, errors: [.init(location: "body.\(field)", message: rejection.message)])
        }
      }
      return try Self.scheduler(of: user, core, in: tx)
    }
  }

  private static func fields(of request: StudyAPI.UpdateScheduler) throws -> SyncFields {
    func list(_ values: [Int64]?) -> JSONValue? { values.map { .array($0.map { .integer($0) }) } }
    let weights: JSONValue? =
      switch request.weights {
      case .keep: nil
      case .remove: .null
      case .set(let weights): try JSONValue(weights)
      }
    let pairs: [(String, JSONValue?)] = [
      ("desiredRetention", request.desiredRetention.map { .number($0) }),
      ("learningSteps", list(request.learningSteps)), ("relearningSteps", list(request.relearningSteps)),
      ("maximumInterval", request.maximumInterval.map { .integer($0) }), ("fuzz", request.fuzz.map { .bool($0) }),
      ("newCardsPerDay", request.newCardsPerDay.map { .integer($0) }),
      ("rolloverHour", request.rolloverHour.map { .integer($0) }),
      ("fitsWeights", request.fitsWeights.map { .bool($0) }), ("weights", weights),
    ]
    return SyncFields(JSONValue.object(pairs).members)
  }

  private static func scheduler(of user: UserID, _ core: StudyCore, in db: any Connection) throws -> StudyScheduler {
    let settings = try SchedulerSettings.of(user, core.records, in: db)
    let scheduler = settings.scheduler
    return StudyScheduler(
      desiredRetention: scheduler.desiredRetention, learningSteps: scheduler.learningSteps,
      relearningSteps: scheduler.relearningSteps, maximumInterval: Int64(scheduler.maximumInterval),
      fuzz: scheduler.fuzz, newCardsPerDay: Int64(settings.newCardsPerDay), rolloverHour: Int64(settings.rolloverHour),
      fitsWeights: settings.fitsWeights, weights: SchedulerWeights(scheduler.weights),
      lastFit: try SchedulerFitStore.find(user, in: db)?.fit)
  }
}
