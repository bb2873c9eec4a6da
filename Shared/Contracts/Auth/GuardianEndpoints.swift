/// Minors. Below the age of digital consent of their country, users need the consent of a guardian to publish or share
/// something; all operations that then answer `guardian-consent-required` declare it.
extension AuthAPI {
  public struct GetGuardianStatus: Endpoint {
    public typealias Response = GuardianStatus
    public static let operation = Operation.get(
      "/v1/users/me/guardian", "Get the state of the caller's guardian consent")
    public init() {}
  }

  /// The country decides about the age of digital consent. While a guardian's consent is needed, it cannot be changed.
  public struct PutCountry: Endpoint {
    public typealias Response = GuardianStatus
    public static let operation = Operation.put(
      "/v1/users/me/country", "Set the caller's country of residence", problems: [.guardianConsentRequired],
      limits: .init(bodyBytes: 4096)
    )
    public var country: CountryCode
    public init(country: CountryCode) { self.country = country }
  }

  /// Mails a link that is valid for 14 days. A request replaces earlier ones that were not answered. After a guardian has
  /// refused or withdrawn the consent, only the same guardian can be asked again; support can lift this.
  public struct AskGuardian: Endpoint {
    public typealias Response = GuardianStatus
    public static let operation = Operation.post(
      "/v1/users/me/guardian", "Ask a guardian for consent by e-mail", success: 202,
      problems: [.guardianNotNeeded, .guardianRefused, .fullAccountRequired, .tooManyAttempts],
      limits: .init(bodyBytes: 4096)
    )
    /// Not a mailbox of the account's user.
    public var email: EmailAddress
    public init(email: EmailAddress) { self.email = email }
  }

  /// The page states what is asked for, and has buttons to consent, to refuse and to withdraw.
  public struct ShowGuardianPage: Endpoint {
    public typealias Response = Content
    public static let operation = Operation.get(
      "/v1/guardian", "Get the consent page for guardians", access: .anyone)
    public var token: GuardianToken
    public init(token: GuardianToken) { self.token = token }
  }

  /// The token stays valid for withdrawing the consent. A withdrawal ends the sessions of the account, so that it takes
  /// effect at once.
  public struct DecideAsGuardian: Endpoint {
    public typealias Response = GuardianStatus
    public static let operation = Operation.post(
      "/v1/guardian", "Give, refuse or withdraw a guardian's consent", access: .anyone,
      problems: [.mailedTokenInvalid, .tooManyAttempts], limits: .init(bodyBytes: 4096)
    )
    public var token: GuardianToken
    public var decision: GuardianDecision
    public init(token: GuardianToken, decision: GuardianDecision) { (self.token, self.decision) = (token, decision) }
  }

  /// The outcome is on the returned page, also for a token that is not valid.
  public struct SendGuardianForm: Endpoint {
    public typealias Response = Content
    public static let operation = Operation.post(
      "/v1/guardian/pages", "Submit the consent form for guardians", access: .anyone,
      problems: [.tooManyAttempts], limits: .init(bodyBytes: 4096), accepts: [.json, .form]
    )
    public var token: GuardianToken
    public var decision: GuardianDecision
    public init(token: GuardianToken, decision: GuardianDecision) { (self.token, self.decision) = (token, decision) }
  }
}

public enum GuardianDecision: String, WireEnum { case consent, refuse, withdraw }

/// Whether a user needs a guardian's consent, and has it.
public struct GuardianStatus: Codable, Sendable, Equatable {
  public enum State: String, WireEnum {
    /// The user is old enough, or has given no birthday.
    case notNeeded
    /// No guardian was asked.
    case needed
    /// A guardian was asked and has not answered.
    case asked
    case given, refused, withdrawn
  }

  public var state: State
  /// The country that the user has set.
  public var country: CountryCode?
  /// The age of digital consent there or, without a country, the highest one.
  public var age: Int
  /// Whether operations that publish or share something are refused.
  public var isLimited: Bool { state != .notNeeded && state != .given }
  public init(state: State, country: CountryCode?, age: Int) {
    (self.state, self.country, self.age) = (state, country, age)
  }
}

/// A token of a mail to a guardian: 256 random bits in base64url. Never printed.
public struct GuardianToken: ValidatedString {
  public let rawValue: String
  public init(checked: String) { rawValue = checked }
  public var description: String { "(hidden)" }
  public static let rule = StringRule(
    length: 43...43,
    pattern: "^[A-Za-z0-9_-]{43}$",
    example: String(repeating: "A", count: 43),
    violation: { text in
      text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) || "_-".contains($0) } ? nil : "must be a token"
    }
  )
}

extension Problem.Kind {
  public static let guardianConsentRequired = Self(
    "guardian-consent-required", status: 403, "The consent of a guardian is required",
    meaning:
      "The caller is a minor, and the operation publishes or shares something. Services check it by the caller's "
      + "token.",
    remedy: "Offer to ask a guardian. After the consent, refresh the token and send the request again.")
  public static let guardianNotNeeded = Self(
    "guardian-not-needed", status: 409, "The account needs no guardian's consent",
    meaning: "The user is no minor, or a guardian has consented already.",
    remedy: "Load the account again and continue without asking.")
  public static let guardianRefused = Self(
    "guardian-refused", status: 409, "A guardian has refused; only the same guardian can be asked again",
    meaning: "A guardian has refused, so that no other guardian can be asked instead.",
    remedy: "Ask the same guardian again, or leave it.")
}
