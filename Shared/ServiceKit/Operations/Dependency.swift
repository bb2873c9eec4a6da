import Logging
import Synchronization

/// A system beside the database that a feature uses, and can do without for a while: such as Redis. Whether it can be
/// used is a line of `/readyz` and the metric `dependency_up`; the service stays ready without it.
public struct Dependency: Sendable {
  let name: String
  let setting: String
  let without: String
  let check: @Sendable () async throws -> Void

  /// - Parameters:
  ///   - name: As it is called in `/readyz`.
  ///   - setting: The name of the setting with its address, for the log.
  ///   - without: What is so while it cannot be used, such as "limits apply per gateway".
  ///   - check: Throws when it cannot be used now.
  public init(
    _ name: String, setting: String, without: String, check: @escaping @Sendable () async throws -> Void
  ) {
    (self.name, self.setting, self.without, self.check) = (name, setting, without, check)
  }
}

/// Checks a dependency again and again, and logs when it goes away and when it is there again.
final class DependencyWatch: Sendable {
  /// Between two checks, in seconds.
  static let interval = 5.0

  private let dependency: Dependency
  private let logger: Logger
  /// `nil` before the first check.
  private let isUp = Mutex<Bool?>(nil)

  init(_ dependency: Dependency, _ logger: Logger) { (self.dependency, self.logger) = (dependency, logger) }

  var gauge: Double? { isUp.withLock { $0 }.map { $0 ? 1 : 0 } }

  /// The check of `/readyz`, which says what is known, and not to whom it is of use: anyone may read it.
  var healthCheck: Health.Check {
    Health.Check(name: dependency.name, warning: { [self] in isUp.withLock { $0 } == false ? "cannot be used" : nil }) {
    }
  }

  func check() async {
    var failure: (any Error)?
    do { try await dependency.check() } catch { failure = error }
    let isUp = failure == nil
    let before = self.isUp.withLock { state in
      defer { state = isUp }
      return state
    }
    if let failure, before != false {
      logger.warning(
        "\(dependency.name) cannot be used: \(dependency.without)",
        metadata: ["setting": "\(dependency.setting)", "reason": "\(failure)"])
    } else if isUp, before == false {
      logger.notice("\(dependency.name) can be used again")
    }
  }
}
