import Contracts
import Foundation

/// An OpenID Connect provider as the settings name it.
struct ProviderSettings: Sendable, Codable, Equatable {
  /// The last part of the sign-in path, such as `google`.
  var name: String
  /// The `iss` of its tokens; discovery is below it.
  var issuer: String
  /// The apps as they are registered there.
  var clients: [Client]

  struct Client: Sendable, Codable, Equatable {
    /// The `aud` of its tokens.
    var id: String
    var app: ClientApp
    var nonce: NoncePolicy
  }

  /// What is asked of the nonce. Google's SDK for iOS adds one that the app cannot know.
  enum NoncePolicy: String, Sendable, Codable {
    /// The request and the token must have it, and no other request may have had it.
    case required
    /// When the request has one, the token must have it too.
    case ifSent
    /// A nonce in the token is not looked at.
    case ignored
  }

  private static let known = ["google": "https://accounts.google.com", "apple": "https://appleid.apple.com"]

  private struct Draft: Decodable {
    struct Client: Decodable {
      var id: String
      var app: ClientApp
      var nonce: NoncePolicy?
    }
    var name: String
    var issuer: String?
    var clients: [Client]
  }

  /// Reads the setting; `nil` when it is wrong.
  static func parse(_ text: String) -> [ProviderSettings]? {
    guard let drafts = try? JSONDecoder().decode([Draft].self, from: Data(text.utf8)) else { return nil }
    let providers = drafts.compactMap { draft -> ProviderSettings? in
      guard let issuer = draft.issuer ?? known[draft.name], !draft.clients.isEmpty,
        issuer.hasPrefix("https://") || issuer.hasPrefix("http://127.0.0.1:") || issuer.hasPrefix("http://localhost:")
      else { return nil }
      let clients = draft.clients.map { Client(id: $0.id, app: $0.app, nonce: $0.nonce ?? .ifSent) }
      return ProviderSettings(name: draft.name, issuer: issuer, clients: clients)
    }
    let names = Set(providers.map(\.name))
    return providers.count == drafts.count && names.count == drafts.count ? providers : nil
  }

  /// Google writes its name with and without the scheme.
  func isIssuer(_ text: String) -> Bool {
    text == issuer || issuer == "https://accounts.google.com" && text == "accounts.google.com"
  }
}
