/// The conditions of a platform that tests change, and no setting can.
package struct TestConditions: Sendable {
  /// The longest lifetime of an access token that is accepted, in seconds; longer where a test's clock jumps.
  package var maxTokenLifetime: Double
  /// Whether passwords are hashed at the least possible cost.
  package var passwordsAreCheap: Bool

  /// The conditions in production, by default.
  package init(maxTokenLifetime: Double = TokenVerifier.maxLifetime, passwordsAreCheap: Bool = false) {
    (self.maxTokenLifetime, self.passwordsAreCheap) = (maxTokenLifetime, passwordsAreCheap)
  }
}
