extension AuthAPI {
  /// The response is the same whether or not the account exists, and whether or not an e-mail is sent: those to one
  /// address are limited.
  public struct ForgotPassword: Endpoint {
    public static let operation = Operation.post(
      "/v1/auth/password/forgot", "Request a password reset e-mail", access: .anyone, success: 202,
      limits: .init(bodyBytes: 4096)
    )
    public var email: EmailAddress
    public init(email: EmailAddress) { self.email = email }
  }

  /// Ends all sessions of the user and does not start a new one. It also verifies the address; if it was not verified
  /// before, other sign-in methods of the account end, because someone else may have added them.
  public struct ResetPassword: Endpoint {
    public static let operation = Operation.post(
      "/v1/auth/password/reset", "Reset the password with an e-mailed token", access: .anyone, success: 204,
      problems: [.mailedTokenInvalid, .passwordTooCommon, .tooManyAttempts], limits: .init(bodyBytes: 4096)
    )
    public var token: String
    public var password: Password
    public init(token: String, password: Password) { (self.token, self.password) = (token, password) }
  }

  /// Ends the user's other sessions.
  public struct ChangePassword: Endpoint {
    public static let operation = Operation.post(
      "/v1/auth/password/change", "Change the password", success: 204,
      problems: [.invalidCredentials, .tooManyAttempts, .passwordTooCommon, .recentSignInRequired],
      limits: .init(bodyBytes: 4096)
    )
    /// The current password; omitted by users who have none.
    public var current: String?
    public var password: Password
    public init(current: String?, password: Password) { (self.current, self.password) = (current, password) }
  }

  /// The token is sent to the address at sign-up and when the address is changed. The caller is signed in to the account
  /// or gives its password: otherwise the owner of an address could verify it for someone else who signed up with it.
  public struct VerifyEmail: Endpoint {
    public static let operation = Operation.post(
      "/v1/auth/email/verify", "Verify an e-mail address with an e-mailed token", access: .anyoneIdentified,
      success: 204,
      problems: [.mailedTokenInvalid, .signInToVerify, .invalidCredentials, .tooManyAttempts, .emailTaken],
      limits: .init(bodyBytes: 4096)
    )
    public var token: String
    /// The password of the account; not needed by callers who are signed in to it.
    public var password: String?
    public init(token: String, password: String? = nil) { (self.token, self.password) = (token, password) }
  }

  public struct ResendVerification: Endpoint {
    public static let operation = Operation.post(
      "/v1/auth/email/resend", "Resend the verification e-mail", success: 202, problems: [.tooManyAttempts]
    )
    public init() {}
  }

  /// The new address takes effect once it is verified with the token sent to it.
  public struct ChangeEmail: Endpoint {
    public static let operation = Operation.post(
      "/v1/auth/email/change", "Request a change of the e-mail address", success: 202,
      problems: [.invalidCredentials, .tooManyAttempts, .recentSignInRequired, .fullAccountRequired],
      limits: .init(bodyBytes: 4096)
    )
    public var email: EmailAddress
    /// The password; omitted by users who have none.
    public var password: String?
    public init(email: EmailAddress, password: String?) { (self.email, self.password) = (email, password) }
  }
}

extension Problem.Kind {
  public static let recentSignInRequired = Self(
    "recent-sign-in-required", status: 403,
    "This requires that the user has signed in or given a proof in the last five minutes",
    meaning: "The operation is sensitive, and the last sign-in or proof of this session is older than five minutes.",
    remedy: "Ask the user for the password, a passkey or a second factor, and send the request again.")
  public static let mailedTokenInvalid = Self(
    "mailed-token-invalid", status: 422, "The token is invalid, already used or expired",
    meaning: "The link of the e-mail was used, has expired, or was replaced by a newer one.",
    remedy: "Offer to send a new e-mail.")
  public static let passwordTooCommon = Self(
    "password-too-common", status: 422, "The password is too common",
    meaning: "The password is in lists of passwords that attackers try first.",
    remedy: "Ask the user for another password. Do not repeat the request.")
  public static let signInToVerify = Self(
    "sign-in-to-verify", status: 403, "Verifying an address requires a sign-in to the account, or its password",
    meaning: "The e-mail was opened by someone who is not signed in to the account that it verifies.",
    remedy: "Ask the user to sign in to that account, or for its password.")
  public static let fullAccountRequired = Self(
    "full-account-required", status: 403, "Guests cannot do this",
    meaning: "The caller is a guest, without password and e-mail address.",
    remedy: "Offer to complete the account, which keeps what the guest has.")
}
