import Contracts
import Logging
import ServiceKit

/// Checks the conversations to which offers refer. A platform can do without the service that has them.
struct ConversationCheck: Sendable {
  private let matching: APIClient
  private let upstreams: Upstreams
  private let logger: Logger

  init(_ environment: ServiceEnvironment) {
    (matching, upstreams) = (environment.client(of: MatchingAPI.self), environment.upstreams)
    logger = environment.logger
  }

  /// - Throws: ``Problem`` unless the conversation is open and the users participate.
  func require(_ id: ConversationID, holds users: [UserID]) async throws {
    guard upstreams.find(MatchingAPI.name) != nil else { throw Problem(.conversationsUnavailable) }
    do {
      _ = try await matching.send(MatchingAPI.CheckConversation(id: id, users: users))
    } catch {
      if case .problem(let problem) = error, problem.is(.conversationNotFound) || problem.is(.conversationClosed) {
        throw problem
      }
      logger.warning("a conversation could not be checked", metadata: ["error": "\(error)"])
      throw Problem(.unavailable, retryAfter: 5)
    }
  }
}
