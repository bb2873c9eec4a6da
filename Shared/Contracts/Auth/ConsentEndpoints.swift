extension AuthAPI {
  /// The purposes that users are asked to consent to, with the version of the text that is in force.
  public struct ListConsentPurposes: Endpoint {
    public typealias Response = Page<ConsentPurposeText>
    public static let operation = Operation.get(
      "/v1/consent-purposes", "List the consent purposes", access: .anyone, caching: .shared
    )
    public init() {}
  }

  /// Internal, for services that process data only with consent. An unknown user has given none.
  public struct CheckConsent: Endpoint {
    public typealias Response = ConsentCheckResult
    public static let operation = Operation.get(
      "/internal/v1/users/{user}/consents/{purpose}", "Get the state of a user's consent",
      access: .services(CatalogAPI.self, GatewayAPI.self, StudyAPI.self))
    public var user: UserID
    public var purpose: ConsentPurpose
    public init(user: UserID, purpose: ConsentPurpose) { (self.user, self.purpose) = (user, purpose) }
  }
}

/// A purpose for which a user's consent is asked.
public struct ConsentPurposeText: Codable, Sendable, Equatable {
  public var purpose: ConsentPurpose
  /// The version of the text that is in force; unset when any version is.
  public var textVersion: ShortText?
  /// The functions that need the consent.
  public var isNeededFor: String
  public init(purpose: ConsentPurpose, textVersion: ShortText?, isNeededFor: String) {
    (self.purpose, self.textVersion, self.isNeededFor) = (purpose, textVersion, isNeededFor)
  }
}

public struct ConsentCheckResult: Codable, Sendable, Equatable {
  public var isGiven: Bool
  public init(isGiven: Bool) { self.isGiven = isGiven }
}

/// A user has given or withdrawn a consent. A service that holds data by it deletes the data of a withdrawn one.
public struct ConsentChanged: Event {
  public static let type = "app.quintet.auth.consent-changed"
  public var userID: UserID
  public var purpose: ConsentPurpose
  public var isGiven: Bool
  public var subject: String { userID.rawValue }
  public init(userID: UserID, purpose: ConsentPurpose, isGiven: Bool) {
    (self.userID, self.purpose, self.isGiven) = (userID, purpose, isGiven)
  }
}

extension Problem.Kind {
  public static let consentRequired = Self(
    "consent-required", status: 403, "The user's consent is required",
    meaning: "The operation processes personal data for a purpose to which the user has not consented. `errors` names "
      + "the purpose.",
    remedy: "Ask the user for consent, record it, and send the request again. Respect a refusal.")
}

extension Problem {
  /// The problem of a missing consent.
  public static func consentRequired(_ purpose: ConsentPurpose) -> Problem {
    Problem(
      .consentRequired, detail: "The user has not consented to \(purpose.rawValue).",
      errors: [.init(location: "consent", message: purpose.rawValue)])
  }
}
