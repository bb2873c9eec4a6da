import Contracts
import Foundation
import ServiceKit
import TestKit

/// A device with a passkey: a software authenticator in Python.
struct Authenticator {
  /// The ways in which the device misbehaves.
  struct Misbehaviour: Encodable {
    var algorithm: Int?
    var flags: Int?
    var signCount: Int?
    var type: String?
    var domain: String?
    var userHandle: String?
    var challenge: String?
    var crossOrigin: Bool?
    var attestation: String?
  }

  static let origin = "https://www.example.com"
  static let settings = [
    "limits.signIn": "0/1", "auth.passkeyDomain": "example.com",
    "auth.passkeyOrigins": "\(origin),https://app.example.com",
  ]

  private struct Request<Options: Encodable>: Encodable {
    var action: String
    var device: String
    var options: Options
    var origin: String
    var misbehaviour: Misbehaviour

    private enum CodingKeys: String, CodingKey { case action, device, options, origin }

    func encode(to encoder: any Encoder) throws {
      try misbehaviour.encode(to: encoder)
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(action, forKey: .action)
      try container.encode(device, forKey: .device)
      try container.encode(options, forKey: .options)
      try container.encode(origin, forKey: .origin)
    }
  }

  private static let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appending(path: "authenticator.py").path
  /// The file of its credential.
  let file: String

  init(_ name: String, _ host: TestPlatform) { file = "\(host.folder)/\(name).passkey" }

  func create(
    _ options: PasskeyCreationOptions, origin: String = origin, _ misbehaviour: Misbehaviour = Misbehaviour()
  ) async throws -> PasskeyAttestation {
    try await run("create", options, origin, misbehaviour)
  }

  func get(_ options: PasskeyRequestOptions, origin: String = origin, _ misbehaviour: Misbehaviour = Misbehaviour())
    async throws -> PasskeyAssertion
  {
    try await run("get", options, origin, misbehaviour)
  }

  private func run<Answer: Decodable>(
    _ action: String, _ options: some Encodable, _ origin: String, _ misbehaviour: Misbehaviour
  ) async throws -> Answer {
    let request = Request(action: action, device: file, options: options, origin: origin, misbehaviour: misbehaviour)
    let input = String(decoding: try JSONEncoder().encode(request), as: UTF8.self)
    let output = try await Command.run([Python.path(), Self.script], input: input)
    // Lines before the last are warnings of libraries.
    guard let line = output.split(separator: "\n").last else { throw TestKitError("no answer") }
    return try WireJSON.decode(Answer.self, from: line.utf8)
  }

  // MARK: with the service

  /// Registers a passkey of a user who has just signed in.
  @discardableResult
  func register(
    _ client: APIClient, as name: String = "My phone", origin: String = origin,
    _ misbehaviour: Misbehaviour = Misbehaviour()
  ) async throws -> EnrolledFactor {
    let options = try await client.send(AuthAPI.PasskeyRegistrationOptions())
    let credential = try await create(options, origin: origin, misbehaviour)
    return try await client.send(AuthAPI.AddPasskey(name: ShortText(validating: name), credential: credential))
  }

  /// Signs in without a user name.
  func logIn(
    _ host: TestPlatform, app: ClientApp = .web, origin: String = origin, _ misbehaviour: Misbehaviour = Misbehaviour()
  ) async throws -> Authentication {
    let options = try await host.client.send(AuthAPI.LogInPasskeyOptions())
    let credential = try await get(options, origin: origin, misbehaviour)
    return try await host.client.send(AuthAPI.LogInWithPasskey(credential: credential, app: app))
  }
}
