import Contracts
import HTTPServing
import ServiceKit
import ServiceLifecycle
import Threads

/// Imports and exports of users, and the threads on which their files are read and written.
final class FileThreads: Service {
  /// Imports and exports at once.
  private static let maxFiles = 8

  private let threads = WorkThreads(2, named: "study-files", waiting: maxFiles)
  private let slots = CallerSlots(total: maxFiles, perCaller: 2)
  /// Exported files that exist: until the last byte has been sent.
  let exported = CallerSlots(total: 32, perCaller: 4)

  /// Runs an import or export of a user, unless there are too many.
  ///
  /// - Throws: ``Problem`` 503.
  func withFile<Value>(of user: UserCaller, _ body: () async throws -> Value) async throws -> Value {
    let slot = try slots.take(user, for: "imported and exported")
    defer { withExtendedLifetime(slot) {} }
    return try await body()
  }

  /// Runs a step of it on a thread.
  func run<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await threads.run(body)
  }

  func run() async throws { try await threads.run() }
}
