import Contracts

/// Someone who is signed in when they do something.
actor DemoAccount {
  private let platform: DemoPlatform
  private let signIn: @Sendable () async throws -> Authentication
  private var session: Task<Authentication, any Error>?
  private var freshUntil = ContinuousClock.now

  init(_ platform: DemoPlatform, signIn: @escaping @Sendable () async throws -> Authentication) {
    (self.platform, self.signIn) = (platform, signIn)
  }

  /// An access token; those who ask at the same time share it.
  func token() async throws -> String {
    if let session, ContinuousClock.now < freshUntil { return try await session.value.accessToken }
    let (old, platform, signIn) = (session, platform, signIn)
    let new = Task {
      guard let old = try? await old?.value else { return try await signIn() }
      do {
        return try await platform.send(AuthAPI.Refresh(refreshToken: old.refreshToken))
      } catch let problem as Problem where problem.status == 401 {
        return try await signIn()
      }
    }
    // No other sign-in begins while this one is under way.
    (session, freshUntil) = (new, .now + .seconds(600))
    do {
      let granted = try await new.value
      freshUntil = .now + .seconds(granted.expiresIn / 2)
      return granted.accessToken
    } catch {
      session = nil
      throw error
    }
  }

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
