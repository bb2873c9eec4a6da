import Contracts
import TestKit
import Testing

@testable import AuthService

/// The data that pages need to send people to a provider.
struct ProviderPageTests {
  @Test func pagesGetTheirClients() async throws {
    let text =
      #"[{"name":"google","clients":[{"id":"phone","app":"keepfit"},{"id":"page","app":"keepfit","web":true}]},"#
      + #"{"name":"apple","clients":[{"id":"ios","app":"keepfit"}]}]"#
    try await TestPlatform.auth(settings: ["auth.oidcProviders": text]) { host async throws in
      #expect(
        try await host.client.send(AuthAPI.ListSignInProviders()).items == [
          SignInProvider(
            name: "google", app: .keepfit, clientID: "page",
            authorizationURL: "https://accounts.google.com/o/oauth2/v2/auth")
        ])
    }
  }

  @Test(arguments: [
    (#""name":"own","issuer":"https://id.example""#, false),
    (#""name":"own","issuer":"https://id.example","authorizationURL":"https://id.example/in""#, true),
    (#""name":"own","issuer":"https://id.example","authorizationURL":"http://id.example/in""#, false),
    (#""name":"google","authorizationURL":"http://localhost:9000/in""#, true),
    (#""name":"apple","authorizationURL":"https://id.example/in""#, true),
  ])
  func pagesNeedToKnowWhereToSendPeople(provider: String, isValid: Bool) {
    let text = #"[{\#(provider),"clients":[{"id":"page","app":"keepfit","web":true}]}]"#
    #expect((ProviderSettings.parse(text) != nil) == isValid)
  }

  /// The addresses of pages may be seen by others.
  @Test(arguments: [
    (#""app":"keepfit","web":true"#, true),
    (#""app":"keepfit","web":true,"nonce":"required","hashesNonce":true"#, true),
    (#""app":"keepfit","web":true,"nonce":"ifSent""#, false),
    (#""app":"keepfit","web":true,"nonce":"ignored""#, false),
    (#""app":"keepfit","web":true,"hashesNonce":false"#, false),
    (#""app":"web","web":true"#, false),
    (#""app":"keepfit"},{"id":"page","app":"roomi""#, false),
  ])
  func pagesKeepTheNonceToThemselves(client: String, isValid: Bool) {
    let clients = ProviderSettings.parse(#"[{"name":"google","clients":[{"id":"page",\#(client)}]}]"#)?[0].clients
    #expect(clients?.map(\.hashesNonce) == (isValid ? [true] : nil))
    #expect(clients?.map(\.nonce) == (isValid ? [.required] : nil))
  }
}
