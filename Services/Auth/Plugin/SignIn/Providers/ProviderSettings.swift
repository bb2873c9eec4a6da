import Contracts
import Foundation

/// An OpenID Connect provider as configured in the settings.
struct ProviderSettings: Sendable, Codable, Equatable {
  /// The last part of the sign-in path, such as `google`.
  var name: String
  /// The `iss` of its tokens, and the base URL of its discovery document.
  var issuer: String
  /// The apps registered with the provider.
  var clients: [Client]
  /// The address to which pages send people to sign in.
  var authorizationURL: String?

  struct Client: Sendable, Codable, Equatable {
    /// The `aud` of its tokens.
    var id: String
    var app: ClientApp
    var nonce: NoncePolicy
    /// Whether the app sends the SHA-256 of its nonce to the provider, in hexadecimal digits, as Apple asks for.
    var hashesNonce: Bool
    /// Whether pages of the app use it.
    var isWeb: Bool

    /// A page gets its token by its address, which others may see later: of the nonce, it must have the hash only, and
    /// without the nonce it signs no one in. It never gives access to the back office.
    fileprivate var isSafe: Bool { !isWeb || nonce == .required && hashesNonce && app != .web }
  }

  /// How the nonce is checked. Google's iOS SDK adds a nonce that the app cannot access.
  enum NoncePolicy: String, Sendable, Codable {
    /// The request and the token must have the same nonce, and it must not have been used before.
    case required
    /// The token must have the same nonce as the request, or none if the request has none.
    case ifSent
    /// A nonce in the token is not checked.
    case ignored
  }

  private static let known = ["google": "https://accounts.google.com", "apple": "https://appleid.apple.com"]
  /// The known authorization endpoints, by issuer. Apple gives addresses only to servers, not to pages.
  private static let knownAuthorization = [
    "https://accounts.google.com": "https://accounts.google.com/o/oauth2/v2/auth"
  ]

  private struct Draft: Decodable {
    struct Client: Decodable {
      var id: String
      var app: ClientApp
      var nonce: NoncePolicy?
      var hashesNonce: Bool?
      var web: Bool?
    }
    var name: String
    var issuer: String?
    var authorizationURL: String?
    var clients: [Client]
  }

  /// Parses the setting; `nil` when it is invalid.
  static func parse(_ text: String) -> [ProviderSettings]? {
    guard let drafts = try? WireJSON.decode([Draft].self, from: text.utf8) else { return nil }
    let providers = drafts.compactMap { draft -> ProviderSettings? in
      guard let issuer = draft.issuer ?? known[draft.name], !draft.clients.isEmpty, isPrivate(issuer) else {
        return nil
      }
      let authorizationURL = draft.authorizationURL ?? knownAuthorization[issuer]
      let isApple = issuer == known["apple"]
      let clients = draft.clients.map { client in
        let isWeb = client.web ?? false
        return Client(
          id: client.id, app: client.app, nonce: client.nonce ?? (isWeb ? .required : .ifSent),
          hashesNonce: client.hashesNonce ?? (isApple || isWeb), isWeb: isWeb)
      }
      let isUsable = authorizationURL.map(isPrivate) ?? !clients.contains(where: \.isWeb)
      guard isUsable, clients.allSatisfy(\.isSafe), Set(clients.map(\.id)).count == clients.count else { return nil }
      return ProviderSettings(name: draft.name, issuer: issuer, clients: clients, authorizationURL: authorizationURL)
    }
    let names = Set(providers.map(\.name))
    return providers.count == drafts.count && names.count == drafts.count ? providers : nil
  }

  /// Whether the connection to an address is private.
  private static func isPrivate(_ url: String) -> Bool {
    ["https://", "http://127.0.0.1:", "http://localhost:"].contains { url.hasPrefix($0) }
  }

  /// For the pages of apps that have a client.
  var choices: [SignInProvider] {
    guard let authorizationURL else { return [] }
    return clients.filter(\.isWeb).map {
      SignInProvider(name: name, app: $0.app, clientID: $0.id, authorizationURL: authorizationURL)
    }
  }

  /// Google's `iss` appears with and without the scheme.
  func isIssuer(_ text: String) -> Bool {
    text == issuer || issuer == "https://accounts.google.com" && text == "accounts.google.com"
  }
}
