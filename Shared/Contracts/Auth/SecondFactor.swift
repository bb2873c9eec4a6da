/// A kind of second factor.
public enum FactorKind: String, WireEnum {
  /// A time-based one-time password (RFC 6238) of an authenticator app.
  case totp
  /// One of the codes that were shown when the first factor was set up.
  case recoveryCode
  /// A passkey (WebAuthn).
  case passkey
}

/// How a session was proved: values of the claim `amr` (RFC 8176). A sign-in with a provider has none of its own.
public enum AuthenticationMethod: String, WireEnum {
  case password = "pwd"
  /// A one-time password: of an authenticator app, or a recovery code.
  case oneTimePassword = "otp"
  /// Possession of a passkey's key.
  case possession = "pop"
  /// Presence of the user, tested by a passkey's authenticator.
  case presence = "user"
  /// More than one factor.
  case multipleFactors = "mfa"
}

/// The second step of a sign-in.
public struct FactorTicket: Codable, Sendable, Equatable {
  /// Continues the sign-in once (``AuthAPI/CompleteLogIn``).
  public var ticket: String
  /// The factors with which the account can be proved.
  public var factors: [FactorKind]
  /// Lifetime of the ticket in seconds.
  public var expiresIn: Int
  public init(ticket: String, factors: [FactorKind], expiresIn: Int) {
    (self.ticket, self.factors, self.expiresIn) = (ticket, factors, expiresIn)
  }
}

/// The step that staff must complete before their tokens carry the scope `administration`.
public enum MissingFactor: String, WireEnum {
  /// Set up a second factor.
  case enrol
  /// Prove the second factor in this session (``AuthAPI/Prove``), or sign in again.
  case prove
}

/// Six digits of an authenticator app. Never printed.
public struct OneTimeCode: ValidatedString {
  public let rawValue: String
  public init(checked: String) { rawValue = checked }
  public var description: String { "(hidden)" }
  public static let rule = StringRule(
    length: 6...6,
    pattern: "^[0-9]{6}$",
    example: "287082",
    normalize: { $0.filter { $0 != " " } },
    violation: { $0.utf8.allSatisfy { (0x30...0x39).contains($0) } ? nil : "must have six digits" }
  )
}

/// A recovery code; dashes, spaces and capitals do not matter. Never printed.
public struct RecoveryCode: ValidatedString {
  public let rawValue: String
  public init(checked: String) { rawValue = checked }
  public var description: String { "(hidden)" }
  public static let rule = StringRule(
    length: 24...29,
    pattern: "^[A-Za-z2-7 -]{24,29}$",
    example: "abcd-efgh-ijkl-mnop-qrst-uvwx",
    normalize: { $0.lowercased().filter { $0 != "-" && $0 != " " } },
    violation: { text in
      let isBase32 = text.utf8.allSatisfy { (0x61...0x7a).contains($0) || (0x32...0x37).contains($0) }
      return isBase32 && text.utf8.count == 24 ? nil : "must have 24 letters and digits from 2 to 7"
    }
  )
}

/// The second factors of an account, as its user sees them.
public struct SecondFactors: Codable, Sendable, Equatable {
  /// Since when an authenticator app is set up.
  public var totpSince: Timestamp?
  public var passkeys: [Passkey]
  /// How many recovery codes have not been used.
  public var recoveryCodesLeft: Int
  /// When this session was last proved: by sign-in or by ``AuthAPI/Prove``.
  public var provedAt: Timestamp
  public init(totpSince: Timestamp?, passkeys: [Passkey], recoveryCodesLeft: Int, provedAt: Timestamp) {
    (self.totpSince, self.passkeys, self.recoveryCodesLeft) = (totpSince, passkeys, recoveryCodesLeft)
    self.provedAt = provedAt
  }
}

/// The secret of an authenticator app; takes effect when one of its codes confirms it.
public struct TOTPEnrolment: Codable, Sendable, Equatable {
  /// In Base32, for entering by hand.
  public var secret: String
  /// `otpauth://totp/…`, for a QR code.
  public var uri: String
  /// Seconds in which it must be confirmed.
  public var expiresIn: Int
  public init(secret: String, uri: String, expiresIn: Int) {
    (self.secret, self.uri, self.expiresIn) = (secret, uri, expiresIn)
  }
}

/// A session's new access token, after a proof. The refresh token stays as it is.
public struct ProvedSession: Codable, Sendable, Equatable {
  public var accessToken: String
  /// Lifetime of the access token in seconds.
  public var expiresIn: Int
  public var provedAt: Timestamp
  public init(accessToken: String, expiresIn: Int, provedAt: Timestamp) {
    (self.accessToken, self.expiresIn, self.provedAt) = (accessToken, expiresIn, provedAt)
  }
}

/// A factor that was set up.
public struct EnrolledFactor: Codable, Sendable, Equatable {
  public var session: ProvedSession
  /// Shown once, when the account had none.
  public var recoveryCodes: [String]?
  /// The new passkey, if it is one.
  public var passkey: Passkey?
  public init(session: ProvedSession, recoveryCodes: [String]?, passkey: Passkey? = nil) {
    (self.session, self.recoveryCodes, self.passkey) = (session, recoveryCodes, passkey)
  }
}

/// New recovery codes; shown once.
public struct RecoveryCodes: Codable, Sendable, Equatable {
  public var codes: [String]
  public init(codes: [String]) { self.codes = codes }
}
