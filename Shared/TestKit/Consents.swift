public import Contracts

extension APIClient {
  /// Decides about purposes as the signed-in user.
  public func consent(to purposes: ConsentPurpose..., isGiven: Bool = true) async throws {
    let version = try ShortText(validating: "1")
    let decisions = purposes.map { purpose in
      AuthAPI.PutConsents.Decision(purpose: purpose, textVersion: version, isGiven: isGiven)
    }
    _ = try await send(AuthAPI.PutConsents(decisions: decisions))
  }
}
