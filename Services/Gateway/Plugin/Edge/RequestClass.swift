import Contracts
import HTTPTypes
import HummingbirdCore
import ServiceKit

/// Kinds of requests that have a limit of their own.
enum RequestClass: String, Sendable, CaseIterable {
  case signIn = "sign-in"
  /// Requests of signed-in users: whoever tries to sign in from the same network takes nothing from them.
  case session
  /// Making accounts for which nothing has to be proved.
  case guest
  case read
  /// Reads that search texts, which cost some times as much as others.
  case search
  /// Requests whose operation is declared as costly.
  case costly
  case write

  /// - Parameter cost: What the operation declares.
  init(_ request: Request, cost: Contracts.Operation.Cost) {
    self.init(request.method, request.head.path ?? "", cost: cost)
  }

  init(_ method: HTTPRequest.Method, _ path: String, cost: Contracts.Operation.Cost) {
    switch cost {
    case .account: self = .guest
    case .costly: self = .costly
    case .usual:
      if method == .get || method == .head {
        self = Self.searches(path) ? .search : .read
      } else if method == .post, path.hasPrefix("/v1/auth/") {
        self = Self.ofSessions.contains(path.prefix { $0 != "?" }) ? .session : .signIn
      } else {
        self = .write
      }
    }
  }

  private static let ofSessions: Set<Substring> = ["/v1/auth/refresh", "/v1/auth/logout", "/v1/auth/proof"]

  /// Whether a target has a `query`, by which all endpoints that search take their words.
  private static func searches(_ target: String) -> Bool {
    guard let start = target.firstIndex(of: "?") else { return false }
    let query = PercentCoding.query(target[target.index(after: start)...])
    return query?.contains { $0.name == "query" && !$0.value.isEmpty } ?? false
  }

  /// Whether all callers of an address have one allowance, because they are not who they will be yet.
  var isOfAddress: Bool { self == .signIn || self == .guest }
}
