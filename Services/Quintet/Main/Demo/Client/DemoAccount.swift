import Contracts

/// Someone who is signed in when they do something.
actor DemoAccount {
  private let signIn: @Sendable () async throws -> String
  private let platform: DemoPlatform
  private var session: (token: Task<String, any Error>, since: ContinuousClock.Instant)?

  /// How long an access token is used; it is valid for 15 minutes unless the platform is configured otherwise.
  private static let freshness = Duration.seconds(240)

  /// - Parameter signIn: Returns a new access token.
  init(_ platform: DemoPlatform, signIn: @escaping @Sendable () async throws -> String) {
    (self.platform, self.signIn) = (platform, signIn)
  }

  /// An access token; those who ask at the same time share it.
  func token() async throws -> String {
    if let session, ContinuousClock.now - session.since < Self.freshness { return try await session.token.value }
    let token = Task { [signIn] in try await signIn() }
    session = (token, .now)
    do {
      return try await token.value
    } catch {
      session = nil
      throw error
    }
  }

  /// Uses a token that has just been granted.
  func use(_ token: String) { session = (Task { token }, .now) }

  @discardableResult
  nonisolated func send<E: Endpoint>(_ request: E, key: String? = nil) async throws -> E.Response {
    try await platform.send(request, token: try await token(), key: key)
  }

  /// The same, for requests that may be refused because of what others do meanwhile.
  /// - Returns: `nil` when it is refused.
  @discardableResult
  nonisolated func attempt<E: Endpoint>(_ request: E, key: String? = nil) async throws -> E.Response? {
    do {
      return try await send(request, key: key)
    } catch let problem as Problem where problem.status == 404 || problem.status == 409 {
      return nil
    }
  }
}
