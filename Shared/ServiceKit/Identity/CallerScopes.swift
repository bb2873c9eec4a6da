public import Contracts

extension UserCaller {
  public func has(_ scope: Scope) -> Bool { scopes.contains(scope.rawValue) }

  /// - Throws: ``Contracts/Problem`` `scope-missing`, which names the scope. What has no scope is permitted to no one.
  public func require(_ scope: Scope?) throws(Problem) {
    guard let scope else { throw Problem(.forbidden) }
    guard has(scope) else {
      throw Problem(.scopeMissing, detail: "The token lacks the scope \(scope.rawValue).")
        .with(header: "WWW-Authenticate", #"Bearer error="insufficient_scope", scope="\#(scope.rawValue)""#)
    }
  }
}

extension UserCaller {
  /// - Throws: ``Problem`` `guardian-consent-required` for a minor without a guardian's consent. Operations that always
  ///   publish (``Operation/publishes``) have been checked before their handlers.
  public func requirePublishing() throws(Problem) {
    if awaitsGuardian { throw Problem(.guardianConsentRequired) }
  }
}
