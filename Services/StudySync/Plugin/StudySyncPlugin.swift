import Contracts
import Persistence
import PlatformRules
public import ServiceKit

/// Offline-first synchronization, study sets, reviews, quizzes, statistics, courses and workouts.
public struct StudySyncPlugin: ServicePlugin {
  public static let manifest = Manifest(
    name: StudyAPI.name,
    api: StudyAPI.self,
    calls: [AuthAPI.self, MatchingAPI.self, MediaAPI.self],
    emits: [
      PushRequested.self, RealtimeEvent.self, TopicEvent.self, TopicAccessEnded.self, UserTopicEvent.self,
      CourseMembershipChanged.self, MediaReferencesChanged.self,
    ],
    topics: [SyncHint.kind, CourseEvents.topicKind],
    previews: ["set"],
    consumes: [
      .init(from: AuthAPI.self, [UserDeleted.self, ConsentChanged.self]),
      .init(from: MatchingAPI.self, [BlockChanged.self]),
    ],
    optionalDependencies: [MatchingAPI.self, MediaAPI.self],
    migrations: StudySyncMigrations.all,
    sealedColumns: StudySyncMigrations.sealedColumns,
    settings: Mailer.settings + [RestrictedFeatures.setting]
  )

  public let features: [any Feature]

  public init(environment: ServiceEnvironment) async throws {
    let core = try StudyCore(environment)
    features =
      try Self.synchronization(core) + Self.sets(core) + Self.reviews(core) + Self.quizzes(core) + Self.courses(core)
      + Self.workouts(core)
  }

  private static func synchronization(_ core: StudyCore) -> [any Feature] {
    [Sync(core), SyncConflicts(core), SyncPrivacy(core), SpaceRemoval(core), SyncHint()]
  }

  private static func sets(_ core: StudyCore) throws -> [any Feature] {
    let threads = FileThreads()
    return [
      StudySets(core), Cards(core), UnfinishedSets(core), Sharing(core), Blocks.feature,
      try Library(core), LibraryCopies(core), LibraryModeration(core), Imports(core, threads), Exports(core, threads),
      Drafts(core, threads),
    ]
  }

  private static func reviews(_ core: StudyCore) throws -> [any Feature] {
    [
      Reviews(core), DueCardList(core), try DueReminders(core), SchedulerOfUser(core), try SchedulerFitting(core),
      try Rescheduling(core),
      Statistics(core), StudyHomePage(core), StudySessions(core),
    ]
  }

  private static func quizzes(_ core: StudyCore) -> [any Feature] { [Attempts(core), Quizzes(core)] }

  private static func courses(_ core: StudyCore) throws -> [any Feature] {
    let core = try CourseCore(core)
    return [
      Courses(core), CourseMembers(core), try CourseInvitations(core), Materials(core), Assignments(core),
      Submissions(core), Grades(core), StudentProgress(core), Discussions(core), DiscussionReplies(core),
    ]
  }

  private static func workouts(_ core: StudyCore) throws -> [any Feature] {
    [Workouts(core), SharedWorkouts(core), try HealthErasure(core)]
  }
}
