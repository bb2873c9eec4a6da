import Contracts
import Persistence
public import ServiceKit

/// Offline-first synchronization, study sets, reviews, quizzes, statistics, courses and workouts.
public struct StudySyncPlugin: ServicePlugin {
  public static let manifest = Manifest(name: StudyAPI.name, api: StudyAPI.self)

  public let features: [any Feature] = []

  public init(environment: ServiceEnvironment) async throws {}
}
