extension AuthAPI {
  /// Exactly one proof is given. The ticket is that of the problem `second-factor-required`; it works once.
  public struct CompleteLogIn: Endpoint {
    public typealias Response = Authentication
    public static let operation = Operation.post(
      "/v1/auth/login/factor", "Complete a sign-in with a second factor", access: .anyone,
      problems: [.factorTicketInvalid, .factorWrong, .passkeyRefused, .tooManyAttempts, .accountDisabled, .notAGuest],
      limits: .init(bodyBytes: 32_768)
    )
    public var ticket: String
    public var totp: OneTimeCode?
    public var recoveryCode: RecoveryCode?
    /// The answer of ``LogInPasskeyOptions`` with the same ticket.
    public var passkey: PasskeyAssertion?
    /// The same as in ``LogIn``.
    public var deviceSecret: String?
    public init(
      ticket: String, totp: OneTimeCode? = nil, recoveryCode: RecoveryCode? = nil, passkey: PasskeyAssertion? = nil,
      deviceSecret: String? = nil
    ) {
      (self.ticket, self.totp, self.recoveryCode, self.passkey) = (ticket, totp, recoveryCode, passkey)
      self.deviceSecret = deviceSecret
    }
  }

  /// Exactly one proof is given; an account with a second factor is proved by such a factor. For five minutes the session
  /// may then do what needs a recent proof. A user who has neither signs in with the provider again.
  public struct Prove: Endpoint {
    public typealias Response = ProvedSession
    public static let operation = Operation.post(
      "/v1/auth/proof", "Re-authenticate the caller",
      problems: [.invalidCredentials, .factorWrong, .passkeyRefused, .secondFactorRequired, .tooManyAttempts],
      limits: .init(bodyBytes: 32_768)
    )
    public var password: String?
    public var totp: OneTimeCode?
    public var recoveryCode: RecoveryCode?
    /// The answer of ``ProofPasskeyOptions``.
    public var passkey: PasskeyAssertion?
    public init(
      password: String? = nil, totp: OneTimeCode? = nil, recoveryCode: RecoveryCode? = nil,
      passkey: PasskeyAssertion? = nil
    ) {
      (self.password, self.totp, self.recoveryCode, self.passkey) = (password, totp, recoveryCode, passkey)
    }
  }

  public struct GetFactors: Endpoint {
    public typealias Response = SecondFactors
    public static let operation = Operation.get("/v1/auth/factors", "Get the caller's second factors")
    public init() {}
  }

  /// Requires a recent proof. An authenticator app that is set up works until the new one is confirmed.
  public struct EnrolTOTP: Endpoint {
    public typealias Response = TOTPEnrolment
    public static let operation = Operation.post(
      "/v1/auth/factors/totp", "Set up an authenticator app", success: 201, problems: [.recentSignInRequired]
    )
    public init() {}
  }

  public struct ConfirmTOTP: Endpoint {
    public typealias Response = EnrolledFactor
    public static let operation = Operation.post(
      "/v1/auth/factors/totp/confirm", "Confirm an authenticator app with its first code",
      problems: [.recentSignInRequired, .factorWrong, .enrolmentMissing, .tooManyAttempts],
      limits: .init(bodyBytes: 4096)
    )
    public var code: OneTimeCode
    public init(code: OneTimeCode) { self.code = code }
  }

  /// Requires a recent proof. Recovery codes end with the last factor.
  public struct DeleteTOTP: Endpoint {
    public static let operation = Operation.delete(
      "/v1/auth/factors/totp", "Remove the authenticator app", success: 204, problems: [.recentSignInRequired]
    )
    public init() {}
  }

  /// Requires a recent proof and a factor. Earlier codes no longer work.
  public struct RenewRecoveryCodes: Endpoint {
    public typealias Response = RecoveryCodes
    public static let operation = Operation.post(
      "/v1/auth/factors/recovery-codes", "Replace the recovery codes",
      problems: [.recentSignInRequired, .enrolmentMissing]
    )
    public init() {}
  }
}

extension Problem.Kind {
  public static let secondFactorRequired = Self(
    "second-factor-required", status: 401, "The account is protected by a second factor",
    meaning: "The first factor was right, and the account has a second one. The member `secondFactor` has a ticket and "
      + "the possible methods.",
    remedy: "Ask the user for the second factor, and send it with the ticket.")
  public static let factorTicketInvalid = Self(
    "factor-ticket-invalid", status: 401, "The ticket is invalid, already used or expired",
    meaning: "The ticket of the sign-in was never issued, was used, or has expired.",
    remedy: "Start the sign-in again.")
  public static let factorWrong = Self(
    "factor-wrong", status: 401, "The code is incorrect or already used",
    meaning: "The code is not the current one, or was already used.",
    remedy: "Let the user enter the next code, and check the clock of the device that makes the codes.")
  public static let enrolmentMissing = Self(
    "enrolment-missing", status: 409, "There is nothing to confirm, or no second factor is set up",
    meaning: "No second factor is being set up, or the account has none.",
    remedy: "Start setting up the second factor again.")
}
