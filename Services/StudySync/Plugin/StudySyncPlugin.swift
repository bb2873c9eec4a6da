import Contracts
import Persistence
public import ServiceKit

/// Offline-first synchronization, study sets, reviews, quizzes, statistics, courses and workouts.
public struct StudySyncPlugin: ServicePlugin {
  public static let manifest = Manifest(
    name: StudyAPI.name,
    api: StudyAPI.self,
    calls: [AuthAPI.self],
    emits: [RealtimeEvent.self, TopicEvent.self, TopicAccessEnded.self],
    topics: [SyncHint.kind],
    consumes: [.init(from: AuthAPI.self, [UserDeleted.self])],
    migrations: SyncMigrations.all
      + ReviewMigrations.all,
    sealedColumns: SyncMigrations.sealedColumns
  )

  public let features: [any Feature]

  public init(environment: ServiceEnvironment) async throws {
    let core = try StudyCore(environment)
    features =
      Self.synchronization(core) + Self.sets(core) + (try Self.reviews(core)) + Self.quizzes(core) + Self.courses(core)
      + Self.workouts(core)
  }

  private static func synchronization(_ core: StudyCore) -> [any Feature] {
    [Sync(core), SyncConflicts(core), SyncPrivacy(core), SyncHint()]
  }

  private static func sets(_ core: StudyCore) -> [any Feature] { [] }

  private static func reviews(_ core: StudyCore) throws -> [any Feature] {
    [
      Reviews(core), DueCardList(core), SchedulerOfUser(core), try SchedulerFitting(core), try Rescheduling(core),
      Statistics(core), StudyHomePage(core), StudySessions(core),
    ]
  }

  private static func quizzes(_ core: StudyCore) -> [any Feature] { [] }

  private static func courses(_ core: StudyCore) -> [any Feature] { [] }

  private static func workouts(_ core: StudyCore) -> [any Feature] { [] }
}
