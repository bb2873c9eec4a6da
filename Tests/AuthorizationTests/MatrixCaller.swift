import Contracts

/// The callers: the columns of the authorization matrix.
enum MatrixCaller: Hashable, CaseIterable {
  case anonymous
  /// A caller whose token is not signed.
  case forger
  case guest
  /// A user of the web client, which has every scope, without a role.
  case user
  case archived, keepfit, yesenia, roomi, letustudy
  /// The user has every role, but signed in to an app that is not for administration.
  case staffElsewhere
  case owner, support, administrator
  /// Another backend with the scope `administration`.
  case client
  /// Another backend whose scopes do not include `administration`.
  case limitedClient

  var app: ClientApp {
    switch self {
    case .archived: .archived
    case .keepfit, .staffElsewhere: .keepfit
    case .yesenia: .yesenia
    case .roomi: .roomi
    case .letustudy: .letustudy
    default: .web
    }
  }

  var scopes: [Scope] {
    switch self {
    case .client: [.administration]
    case .limitedClient: [.account]
    default: app.scopes
    }
  }

  var roles: [Role] {
    switch self {
    case .anonymous, .forger: []
    case .guest: [.guest]
    case .user, .archived, .keepfit, .yesenia, .roomi, .letustudy: [.user]
    case .staffElsewhere: [.user, .owner, .support, .administrator]
    case .owner: [.user, .owner]
    case .support: [.user, .support]
    case .administrator: [.user, .administrator]
    case .client, .limitedClient: [.administrator]
    }
  }

  var isClient: Bool { self == .client || self == .limitedClient }

  /// The problem with which an operation's contract refuses the caller; `nil` when it admits them.
  func refusal(by operation: Contracts.Operation) -> Problem.Kind? {
    switch operation.access {
    case .anyone: return nil
    case .anyoneIdentified:
      if self == .anonymous || isClient { return nil }
      if self == .forger { return .tokenInvalid }
    case .user:
      if let refusal = refusalOfToken { return refusal }
      if isClient { return .forbidden }
    case .roles(let allowed):
      if let refusal = refusalOfToken { return refusal }
      if Set(roles).isDisjoint(with: allowed) { return .forbidden }
      return scopes.contains(.administration) ? nil : .scopeMissing
    case .service: return .notFound
    }
    return operation.scope.map { scopes.contains($0) } == true ? nil : .scopeMissing
  }

  private var refusalOfToken: Problem.Kind? {
    switch self {
    case .anonymous: .tokenMissing
    case .forger: .tokenInvalid
    default: nil
    }
  }
}
