import Contracts
import Crypto
import CurlClient
import Foundation
import NIOCore

/// Reads the public keys of services: those that an operator has distributed, and those that services publish.
enum PublishedServiceKeys {
  private static let maxBytes = 65_536

  /// - Parameter instances: The instances of the services whose URL is configured.
  static func sources(_ settings: Settings, _ http: CurlClient, _ instances: [String: Instances]) throws(SettingError)
    -> ServiceTrust.Sources
  {
    let seconds = try settings[ServiceSettings.keySeconds]
    return ServiceTrust.Sources(
      pinned: { service in
        if let keys = try settings[ServiceSettings.publicKeys(of: service)] { return keys.map { ServicePublicKey($0) } }
        return try settings[ServiceSettings.publicKeyFolder].flatMap { try file("\($0.absolutePath)/\(service).pem") }
      },
      published: { service in try await instances[service].asyncMap { try await published(by: $0, http, seconds) } }
    )
  }

  /// The keys of a PEM file, which may hold several; `nil` when there is no such file.
  static func file(_ path: String) throws -> [ServicePublicKey]? {
    guard FileManager.default.fileExists(atPath: path) else { return nil }
    let end = "-----END PUBLIC KEY-----"
    let parts = try String(contentsOfFile: path, encoding: .utf8).split(separator: end)
      .filter { $0.contains("-----BEGIN PUBLIC KEY-----") }
    return try parts.map { ServicePublicKey(try P256.Signing.PublicKey(pemRepresentation: $0 + end)) }
  }

  /// Asks every instance, because each may have a key of its own.
  private static func published(by instances: Instances, _ http: CurlClient, _ seconds: Double) async throws
    -> ServiceTrust.Published
  {
    let all = instances.all
    return try await withThrowingTaskGroup(of: Result<[ServicePublicKey], any Error>.self) { group in
      for instance in all {
        group.addTask {
          do { return .success(try await keys(of: instance, http, seconds)) } catch { return .failure(error) }
        }
      }
      var found = ServiceTrust.Published(keys: [], isComplete: true)
      var failure: (any Error)?
      for try await result in group {
        switch result {
        case .success(let keys): found.keys += keys
        case .failure(let error): (found.isComplete, failure) = (false, error)
        }
      }
      if let failure, found.keys.isEmpty { throw failure }
      return found
    }
  }

  private static func keys(of instance: Instances.Instance, _ http: CurlClient, _ seconds: Double) async throws
    -> [ServicePublicKey]
  {
    let request = try ServiceKeysAPI.Get().wireRequest()
    let response = try await http.execute(
      ClientRequest(
        origin: instance.origin, address: instance.address, target: request.target,
        timeouts: .init(connect: seconds / 2, firstByte: seconds, total: seconds), responseLimit: maxBytes,
        isRepeatable: true)
    )
    guard response.status == 200, case .bytes(let body) = response.body else {
      throw Unexpected(status: response.status)
    }
    let set = try WireJSON.decode(JSONWebKeySet.self, from: Array(body.readableBytesView))
    return set.keys.prefix(ServiceTrust.maxKeys).compactMap { ServicePublicKey($0) }
  }

  private struct Unexpected: Error, CustomStringConvertible {
    let status: Int
    var description: String { "status \(status)" }
  }
}

extension Optional {
  fileprivate func asyncMap<Value>(_ transform: (Wrapped) async throws -> Value) async rethrows -> Value? {
    if let self { try await transform(self) } else { nil }
  }
}
