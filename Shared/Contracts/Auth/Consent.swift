public enum ConsentPurpose: String, WireEnum { case termsOfService, privacyPolicy, newsletter, analytics, healthData }

/// A user's decision about a purpose, with the version of the text it refers to.
public struct Consent: Codable, Sendable, Equatable {
  public var purpose: ConsentPurpose
  public var textVersion: ShortText
  public var isGiven: Bool
  public var decidedAt: Timestamp
  public init(purpose: ConsentPurpose, textVersion: ShortText, isGiven: Bool, decidedAt: Timestamp) {
    (self.purpose, self.textVersion, self.isGiven, self.decidedAt) = (purpose, textVersion, isGiven, decidedAt)
  }
}

public struct Consents: Codable, Sendable, Equatable {
  public var current: [Consent]
  /// The latest 1,000, oldest first.
  public var history: [Consent]
  public init(current: [Consent], history: [Consent]) { (self.current, self.history) = (current, history) }
}
