public typealias PasskeyID = ID<Passkey>

/// A passkey, as its user sees it.
public struct Passkey: Codable, Sendable, Equatable {
  public var id: PasskeyID
  public var name: ShortText
  public var createdAt: Timestamp
  public var lastUsedAt: Timestamp?
  /// Whether the passkey is synchronized between devices.
  public var isBackedUp: Bool
  /// Whether it is refused since its signature counter went back, which indicates a copy.
  public var isDistrusted: Bool
  public init(
    id: PasskeyID, name: ShortText, createdAt: Timestamp, lastUsedAt: Timestamp?, isBackedUp: Bool, isDistrusted: Bool
  ) {
    (self.id, self.name, self.createdAt, self.lastUsedAt) = (id, name, createdAt, lastUsedAt)
    (self.isBackedUp, self.isDistrusted) = (isBackedUp, isDistrusted)
  }
}

/// Bytes in base64url without padding, as WebAuthn writes them in JSON.
public struct WebAuthnBytes: ValidatedString {
  public let rawValue: String
  public init(checked: String) { rawValue = checked }
  public static let rule = StringRule(
    length: 1...24_576,
    pattern: "^[A-Za-z0-9_-]+$",
    example: "AAECAwQFBgcICQ",
    violation: { text in
      let isBase64URL = text.utf8.allSatisfy { byte in
        (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte) || (0x61...0x7a).contains(byte)
          || byte == 0x2d || byte == 0x5f
      }
      return isBase64URL ? nil : "must be base64url without padding"
    }
  )
}

/// `PublicKeyCredentialCreationOptionsJSON` of WebAuthn, for `PublicKeyCredential.parseCreationOptionsFromJSON`.
public struct PasskeyCreationOptions: Codable, Sendable, Equatable {
  public struct RelyingParty: Codable, Sendable, Equatable {
    public var id: String
    public var name: String
    public init(id: String, name: String) { (self.id, self.name) = (id, name) }
  }

  public struct User: Codable, Sendable, Equatable {
    /// The user handle.
    public var id: WebAuthnBytes
    public var name: String
    public var displayName: String
    public init(id: WebAuthnBytes, name: String, displayName: String) {
      (self.id, self.name, self.displayName) = (id, name, displayName)
    }
  }

  public struct Parameter: Codable, Sendable, Equatable {
    public var type: String
    /// A COSE algorithm: -7 (ES256) or -8 (EdDSA).
    public var alg: Int
    public init(alg: Int) { (self.type, self.alg) = ("public-key", alg) }
  }

  public struct Selection: Codable, Sendable, Equatable {
    public var residentKey: String
    public var requireResidentKey: Bool
    public var userVerification: String
    public init() { (residentKey, requireResidentKey, userVerification) = ("required", true, "required") }
  }

  public var rp: RelyingParty
  public var user: User
  public var challenge: WebAuthnBytes
  public var pubKeyCredParams: [Parameter]
  /// In milliseconds.
  public var timeout: Int
  public var excludeCredentials: [PasskeyDescriptor]
  public var authenticatorSelection: Selection
  public var attestation: String
  public init(
    rp: RelyingParty, user: User, challenge: WebAuthnBytes, algorithms: [Int], timeout: Int,
    excludeCredentials: [PasskeyDescriptor]
  ) {
    (self.rp, self.user, self.challenge, self.timeout) = (rp, user, challenge, timeout)
    (self.excludeCredentials, self.attestation) = (excludeCredentials, "none")
    pubKeyCredParams = algorithms.map { Parameter(alg: $0) }
    authenticatorSelection = Selection()
  }
}

/// `PublicKeyCredentialDescriptorJSON` of WebAuthn.
public struct PasskeyDescriptor: Codable, Sendable, Equatable {
  public var type: String
  public var id: WebAuthnBytes
  public var transports: [String]?
  public init(id: WebAuthnBytes, transports: [String]?) {
    (self.type, self.id, self.transports) = ("public-key", id, transports)
  }
}

/// `PublicKeyCredentialRequestOptionsJSON` of WebAuthn, for `PublicKeyCredential.parseRequestOptionsFromJSON`.
public struct PasskeyRequestOptions: Codable, Sendable, Equatable {
  public var challenge: WebAuthnBytes
  /// In milliseconds.
  public var timeout: Int
  public var rpId: String
  /// Empty when any passkey of the domain may be used.
  public var allowCredentials: [PasskeyDescriptor]
  public var userVerification: String
  public init(challenge: WebAuthnBytes, timeout: Int, rpId: String, allowCredentials: [PasskeyDescriptor]) {
    (self.challenge, self.timeout, self.rpId) = (challenge, timeout, rpId)
    (self.allowCredentials, self.userVerification) = (allowCredentials, "required")
  }
}

/// `RegistrationResponseJSON` of WebAuthn, as `PublicKeyCredential.toJSON()` writes it.
public struct PasskeyAttestation: Codable, Sendable, Equatable {
  public struct Response: Codable, Sendable, Equatable {
    public var clientDataJSON: WebAuthnBytes
    public var attestationObject: WebAuthnBytes
    public var transports: [String]?
    public init(clientDataJSON: WebAuthnBytes, attestationObject: WebAuthnBytes, transports: [String]? = nil) {
      (self.clientDataJSON, self.attestationObject) = (clientDataJSON, attestationObject)
      self.transports = transports
    }
  }

  public var id: WebAuthnBytes
  public var type: String
  public var response: Response
  public init(id: WebAuthnBytes, response: Response) {
    (self.id, self.type, self.response) = (id, "public-key", response)
  }
}

/// `AuthenticationResponseJSON` of WebAuthn, as `PublicKeyCredential.toJSON()` writes it.
public struct PasskeyAssertion: Codable, Sendable, Equatable {
  public struct Response: Codable, Sendable, Equatable {
    public var clientDataJSON: WebAuthnBytes
    public var authenticatorData: WebAuthnBytes
    public var signature: WebAuthnBytes
    public var userHandle: WebAuthnBytes?
    public init(
      clientDataJSON: WebAuthnBytes, authenticatorData: WebAuthnBytes, signature: WebAuthnBytes,
      userHandle: WebAuthnBytes?
    ) {
      (self.clientDataJSON, self.authenticatorData) = (clientDataJSON, authenticatorData)
      (self.signature, self.userHandle) = (signature, userHandle)
    }
  }

  public var id: WebAuthnBytes
  public var type: String
  public var response: Response
  public init(id: WebAuthnBytes, response: Response) {
    (self.id, self.type, self.response) = (id, "public-key", response)
  }
}
