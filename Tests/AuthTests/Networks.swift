import Contracts
import ServiceKit
import TestKit

/// Sends calls to auth with the address of a caller, as its gateway does.
private struct NetworkTransport: Transport {
  let auth: any Transport
  let address: String

  func send(_ request: WireRequest, headers: [(name: String, value: String)]) async throws(CallError) -> WireResponse {
    try await auth.send(request, headers: headers + [("x-forwarded-for", address)])
  }
}

extension TestPlatform {
  /// A client with that network address.
  func client(at address: String) -> APIClient {
    APIClient(transport: NetworkTransport(auth: platform.transport(to: AuthAPI.name), address: address))
  }
}

extension APIClient {
  /// Signs in with the password that ``signUp(_:app:)`` gives by default.
  func logIn(_ login: String, _ password: String, deviceSecret: String? = nil) async throws -> Authentication {
    try await send(AuthAPI.LogIn(login: login, password: password, deviceSecret: deviceSecret))
  }

  func signUp(email: String?, username: String? = nil, password: String, app: ClientApp = .web) async throws
    -> Authentication
  {
    try await send(
      AuthAPI.SignUp(
        email: email.map { try EmailAddress(validating: $0) }, username: username.map { try Username(validating: $0) },
        password: Password(validating: password), app: app)
    )
  }
}
