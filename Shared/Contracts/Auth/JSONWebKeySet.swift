/// Public keys in the format of RFC 7517; P-256 keys (RFC 7518 §6.2) only.
public struct JSONWebKeySet: Codable, Sendable, Equatable {
  public struct Key: Codable, Sendable, Equatable {
    public var kty: String
    public var crv: String
    public var use: String
    public var alg: String
    public var kid: String
    public var x: String
    public var y: String
    public init(kid: String, x: String, y: String) {
      (self.kty, self.crv, self.use, self.alg, self.kid, self.x, self.y) = ("EC", "P-256", "sig", "ES256", kid, x, y)
    }
  }

  public var keys: [Key]
  public init(keys: [Key]) { self.keys = keys }
}

/// The platform's metadata as an issuer of tokens, as defined by OpenID Connect Discovery 1.0 §3.
public struct IssuerDescription: Codable, Sendable, Equatable {
  public var issuer: String
  public var jwksURI: String
  public var tokenEndpoint: String
  public var grantTypesSupported: [String]
  public var responseTypesSupported: [String]
  public var subjectTypesSupported: [String]
  public var idTokenSigningAlgValuesSupported: [String]
  public var tokenEndpointAuthMethodsSupported: [String]
  public var scopesSupported: [String]

  private enum CodingKeys: String, CodingKey {
    case issuer
    case jwksURI = "jwks_uri"
    case tokenEndpoint = "token_endpoint"
    case grantTypesSupported = "grant_types_supported"
    case responseTypesSupported = "response_types_supported"
    case subjectTypesSupported = "subject_types_supported"
    case idTokenSigningAlgValuesSupported = "id_token_signing_alg_values_supported"
    case tokenEndpointAuthMethodsSupported = "token_endpoint_auth_methods_supported"
    case scopesSupported = "scopes_supported"
  }

  /// - Parameters:
  ///   - issuer: The `iss` of tokens.
  ///   - origin: Scheme and host of the gateway's public URL.
  public init(issuer: String, origin: String) {
    self.issuer = issuer
    jwksURI = origin + "/.well-known/jwks.json"
    tokenEndpoint = origin + "/v1/auth/token"
    grantTypesSupported = ["client_credentials"]
    responseTypesSupported = []
    subjectTypesSupported = ["public"]
    idTokenSigningAlgValuesSupported = ["ES256"]
    tokenEndpointAuthMethodsSupported = ["client_secret_post"]
    scopesSupported = Scope.allCases.map(\.rawValue)
  }
}
