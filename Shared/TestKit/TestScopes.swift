public import Contracts

extension ClientApp {
  /// The scopes in tokens that tests sign themselves.
  ///
  /// - Parameter isStaff: Whether `administration` is one of them, which only some sign-ins have.
  public func scopeClaim(isStaff: Bool = false) -> String {
    let scopes = Set(scopes).subtracting(isStaff ? [] : [.administration]).union(isStaff ? [.administration] : [])
    return scopes.map(\.rawValue).sorted().joined(separator: " ")
  }
}
