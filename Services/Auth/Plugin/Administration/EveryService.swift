import Contracts
import Persistence
import ServiceKit

/// Auth and every service that receives its events: what administrators ask all of them.
struct EveryService: Sendable {
  private let core: AuthCore
  /// Clients of the other services.
  private let others: @Sendable () async throws -> [(name: String, client: APIClient)]

  init(_ core: AuthCore) {
    self.core = core
    others = { [environment = core.environment] in try await environment.consumers() }
  }

  /// The response of one service.
  struct Part<Answer: Sendable>: Sendable {
    var service: String
    /// `nil` when the service did not answer.
    var answer: Answer?
  }

  /// Asks all services at once, or only one.
  /// - Throws: ``Problem`` 422 for a service that is not known.
  func ask<Answer: Sendable>(
    _ service: String? = nil, own: @escaping @Sendable (any Database) async throws -> Answer,
    others ask: @escaping @Sendable (APIClient) async throws -> Answer
  ) async throws -> [Part<Answer>] {
    let asked = try await asked(service)
    var parts: [Part<Answer>] = []
    if Self.isAuth(service) { parts.append(Part(service: AuthAPI.name, answer: try await own(core.database))) }
    let answers = await withTaskGroup(of: Part<Answer>.self) { group in
      for (name, client) in asked {
        group.addTask { Part(service: name, answer: try? await ask(client)) }
      }
      var answers: [Part<Answer>] = []
      for await answer in group { answers.append(answer) }
      return answers
    }
    return parts + answers.sorted { $0.service < $1.service }
  }

  static func isAuth(_ service: String?) -> Bool { service.map { $0 == AuthAPI.name } ?? true }

  /// The other services, or the one of that name.
  ///
  /// - Parameter location: Where the request names it.
  func asked(_ service: String?, at location: String = "query.service") async throws
    -> [(name: String, client: APIClient)]
  {
    let asked = try await others().filter { service == nil || $0.name == service }
    guard Self.isAuth(service) || !asked.isEmpty else {
      throw Problem(.invalidRequest, errors: [.init(location: location, message: "is not a service of the platform")])
    }
    return asked
  }
}
