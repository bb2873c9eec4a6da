/// Synchronization, study sets, reviews, quizzes, statistics, courses and workouts. An area's endpoints and problems are
/// in the file named below, the types that they exchange beside it.
public enum StudyAPI: ServiceAPI {
  public static let name = "study-sync"
  public static let summary = "Offline-first study sets, reviews, quizzes, courses and workouts"
  public static let endpoints: [any Endpoint.Type] =
    sync + syncConflicts + sets + sharing + library + files + drafts + reviews + statistics + quizzes + courses
    + workouts
}
