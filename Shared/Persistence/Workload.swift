import Synchronization
public import Threads

/// For whom the current task works. A database keeps threads, connections and time limits for each kind apart, so that
/// none of them waits for another. Travels as a task-local value, also into tasks that a task starts.
public enum Workload: Sendable {
  /// A caller waits for the answer; `nil` when it is not known who, or when there are several.
  case request(WaitingCaller?)
  /// Others wait for the effects: events that are sent and taken, in short transactions.
  case events
  /// No one waits: jobs, sweeps, migrations. The default.
  case background
  /// A probe asks whether the database answers.
  case health

  @TaskLocal public static var current = Workload.background

  /// Runs what several callers wait for, or what outlives the request that began it: it is done even when that request's
  /// caller has left.
  public static func shared<Value>(_ body: () async throws -> Value) async rethrows -> Value {
    try await $current.withValue(.request(nil)) { try await body() }
  }

  /// Runs what sends or takes events.
  package static func events<Value>(_ body: () async throws -> Value) async rethrows -> Value {
    try await $current.withValue(.events) { try await body() }
  }

  /// That of a request which the current task makes or receives.
  package var asked: Workload { if case .request = self { self } else { .request(nil) } }

  var caller: WaitingCaller? { if case .request(let caller) = self { caller } else { nil } }
}

/// The time limits of a database.
public struct DatabaseLimits: Sendable {
  /// How long a statement of a request may take, in seconds.
  public var requestSeconds = 10.0
  /// How long a statement of background work may take, in seconds. Migrations have no limit.
  public var backgroundSeconds = 600.0
  /// How long the statement of a health check may take, in seconds.
  public var healthSeconds = 2.0
  /// How long a request may wait for a thread of the database before it is refused, in seconds. Further requests are
  /// refused at once while one waits as long.
  public var waitSeconds = 2.0

  public init() {}
}
