/// How a page of an app sends people to an OpenID Connect provider, which sends them back with an ID token.
public struct SignInProvider: Codable, Sendable, Equatable {
  /// The name that ``AuthAPI/SignInWithProvider`` takes, such as `google`.
  public var name: String
  public var app: ClientApp
  /// The app's, which the provider has given it.
  public var clientID: String
  /// The address at which people sign in (OpenID Connect Core 1.0 §3.2.2.1). Its `response_type` is `id_token`.
  public var authorizationURL: String
  public init(name: String, app: ClientApp, clientID: String, authorizationURL: String) {
    (self.name, self.app, self.clientID, self.authorizationURL) = (name, app, clientID, authorizationURL)
  }
}
