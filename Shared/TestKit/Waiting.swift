import Dispatch
import Synchronization

/// How long tests wait.
public enum Waiting {
  /// The longest wait for a condition, in seconds. It only bounds how long a failing test takes: no test passes or fails
  /// by the speed of the machine.
  public static let limit = 300.0
}

/// Polls until a condition holds, for effects outside the test's control; throws after ``Waiting/limit``.
public func eventually(_ what: String, _ condition: () async throws -> Bool) async throws {
  let end = ContinuousClock.now + .seconds(Waiting.limit)
  while ContinuousClock.now < end {
    if try await condition() { return }
    try await Task.sleep(for: .seconds(0.02))
  }
  throw TestKitError("\(what) did not happen within \(Waiting.limit) seconds")
}

/// Waits until a growing number stands still, such as the bytes of a writer whose reader holds it back.
public func standstill(of what: String, _ value: () -> Int) async throws -> Int {
  var last = 0
  var repeats = 0
  try await eventually("\(what) stands still") {
    let now = value()
    repeats = now == last && now > 0 ? repeats + 1 : 0
    last = now
    return repeats == 25
  }
  return last
}

/// Runs a body for all items concurrently.
public func concurrently<Item: Sendable, Value: Sendable>(
  _ items: some Sequence<Item>,
  _ body: @escaping @Sendable (Item) async throws -> Value
) async throws -> [Value] {
  try await withThrowingTaskGroup(of: Value.self) { group in
    for item in items { group.addTask { try await body(item) } }
    return try await group.reduce(into: []) { $0.append($1) }
  }
}

extension Sequence where Element: Hashable {
  /// How often each element occurs.
  public var counts: [Element: Int] { reduce(into: [:]) { $0[$1, default: 0] += 1 } }
}

/// Runs a body and then a cleanup, also when the body throws.
public func attempt<Value>(
  _ body: () async throws -> Value,
  finally cleanUp: () async -> Void
) async throws -> Value {
  let result: Result<Value, any Error>
  do { result = .success(try await body()) } catch { result = .failure(error) }
  await cleanUp()
  return try result.get()
}

/// Holds back the thread of a ``ScriptedServer`` until the test opens it.
public final class Gate: Sendable {
  private let semaphore = DispatchSemaphore(value: 0)

  public init() {}

  public func open() { semaphore.signal() }

  /// Blocks the calling thread, which must not be one of Swift's.
  public func wait() {
    _ = semaphore.wait(timeout: .now() + Waiting.limit)
    semaphore.signal()
  }
}

/// A thread-safe counter.
public final class Counter: Sendable {
  private let count = Atomic<Int>(0)

  public init() {}

  public var value: Int { count.load(ordering: .relaxed) }
  public func add(_ amount: Int = 1) { count.add(amount, ordering: .relaxed) }
}
