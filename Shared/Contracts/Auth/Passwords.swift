extension AuthAPI {
  /// Ask for a mail with which a new password can be set. The answer is the same whether there is such an account.
  public struct ForgotPassword: Endpoint {
    public typealias Response = Empty
    public static let operation = Operation(
      .post,
      "/v1/auth/password/forgot",
      "Ask for a mail to set a new password",
      access: .anyone,
      success: 202,
      problems: [.tooManyAttempts],
      limits: .init(bodyBytes: 4096)
    )

    public struct Body: Codable, Sendable {
      public var email: EmailAddress
      public init(email: EmailAddress) { self.email = email }
    }

    public var body: Body
    public init(body: Body) { self.body = body }
  }

  /// Set a new password with the token of the mail; ends every session and signs nobody in.
  public struct ResetPassword: Endpoint {
    public typealias Response = Empty
    public static let operation = Operation(
      .post,
      "/v1/auth/password/reset",
      "Set a new password with a mailed token",
      access: .anyone,
      success: 204,
      problems: [.mailedTokenInvalid, .passwordTooCommon, .tooManyAttempts],
      limits: .init(bodyBytes: 4096)
    )

    public struct Body: Codable, Sendable {
      public var token: String
      public var password: Password

      public init(token: String, password: Password) {
        self.token = token
        self.password = password
      }
    }

    public var body: Body
    public init(body: Body) { self.body = body }
  }

  /// Change the password; ends the user's other sessions.
  public struct ChangePassword: Endpoint {
    public typealias Response = Empty
    public static let operation = Operation(
      .post,
      "/v1/auth/password/change",
      "Change the password",
      access: .user,
      success: 204,
      problems: [.invalidCredentials, .tooManyAttempts, .passwordTooCommon, .recentSignInRequired],
      limits: .init(bodyBytes: 4096)
    )

    public struct Body: Codable, Sendable {
      /// The present password; left out by users who have none yet.
      public var current: String?
      public var password: Password

      public init(current: String?, password: Password) {
        self.current = current
        self.password = password
      }
    }

    public var body: Body
    public init(body: Body) { self.body = body }
  }

  /// Prove an e-mail address with the token that was sent to it, at sign-up or for a change.
  public struct VerifyEmail: Endpoint {
    public typealias Response = Empty
    public static let operation = Operation(
      .post,
      "/v1/auth/email/verify",
      "Prove an e-mail address with a mailed token",
      access: .anyone,
      success: 204,
      problems: [.mailedTokenInvalid, .emailTaken],
      limits: .init(bodyBytes: 4096)
    )

    public struct Body: Codable, Sendable {
      public var token: String
      public init(token: String) { self.token = token }
    }

    public var body: Body
    public init(body: Body) { self.body = body }
  }

  /// Ask once more for the mail that proves the own address.
  public struct ResendVerification: Endpoint {
    public typealias Response = Empty
    public static let operation = Operation(
      .post,
      "/v1/auth/email/resend",
      "Ask again for the mail that proves the own address",
      access: .user,
      success: 202,
      problems: [.tooManyAttempts]
    )
    public init() {}
  }

  /// Ask for another e-mail address: it becomes the account's once the token sent to it comes back.
  public struct ChangeEmail: Endpoint {
    public typealias Response = Empty
    public static let operation = Operation(
      .post,
      "/v1/auth/email/change",
      "Ask for another e-mail address",
      access: .user,
      success: 202,
      problems: [.invalidCredentials, .tooManyAttempts, .recentSignInRequired],
      limits: .init(bodyBytes: 4096)
    )

    public struct Body: Codable, Sendable {
      public var email: EmailAddress
      /// The password; left out by users who have none.
      public var password: String?

      public init(email: EmailAddress, password: String?) {
        self.email = email
        self.password = password
      }
    }

    public var body: Body
    public init(body: Body) { self.body = body }
  }
}

extension Problem.Kind {
  public static let recentSignInRequired = Self(
    "recent-sign-in-required",
    status: 403,
    "Without a password this takes a session that has just begun"
  )
  public static let mailedTokenInvalid = Self(
    "mailed-token-invalid",
    status: 422,
    "The token is not valid, was used, or has expired"
  )
  public static let passwordTooCommon = Self(
    "password-too-common",
    status: 422,
    "The password is one of the commonest"
  )
}
