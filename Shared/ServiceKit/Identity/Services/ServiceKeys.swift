import Contracts
import Crypto
import Foundation
import Synchronization

/// The private keys of one service of this process: in memory, from a setting, or in a file that the service creates.
final class ServiceKeys: Sendable {
  private let ring: Mutex<ServiceKeyRing>
  /// The key file, which `keys service rotate` changes while the service runs.
  private let path: String?

  private init(_ ring: ServiceKeyRing, path: String? = nil) {
    self.ring = Mutex(ring)
    self.path = path
  }

  /// A key that is nowhere else and ends with the process.
  static func inMemory() -> ServiceKeys { ServiceKeys(.random()) }

  /// The keys of the setting, otherwise those of the service's file, which is created when it is missing.
  static func load(_ service: String, _ settings: Settings) throws -> ServiceKeys {
    if let keys = try settings[ServiceSettings.privateKeys] { return ServiceKeys(ServiceKeyRing(keys)) }
    let path = try path(of: service, settings)
    guard let ring = ServiceKeyRing(text: try SecretFile.load(path) { ServiceKeyRing.random().text }) else {
      throw unreadable(path)
    }
    return ServiceKeys(ring, path: path)
  }

  /// The file of a service's keys.
  static func path(of service: String, _ settings: Settings) throws(SettingError) -> String {
    let folder = try settings[ServiceSettings.keyFolder]
    let base = try settings[PlatformSettings.data]
    return "\((folder ?? base).absolutePath)/service-keys-\(service)"
  }

  private static func unreadable(_ path: String) -> SettingError {
    SettingError(message: "\(path) does not hold the keys of a service; restore it, or remove it to create a new key")
  }

  func signer(at now: Timestamp) -> ServiceKeyRing.Pair { ring.withLock { $0.signer(at: now) } }

  func published(at now: Timestamp) -> [ServicePublicKey] { ring.withLock { $0.published(at: now) } }

  /// Takes over what another process has written to the file.
  func reload() throws {
    guard let path else { return }
    guard let new = ServiceKeyRing(text: try String(contentsOfFile: path, encoding: .utf8)) else {
      throw Self.unreadable(path)
    }
    ring.withLock { $0 = new }
  }

  /// Adds a new key to the file of a service.
  ///
  /// - Returns: When the new key signs; `nil` when the service has no key file.
  static func rotate(
    _ service: String, _ settings: Settings, announced: Int64, atOnce: Bool, at now: Timestamp
  ) throws -> Timestamp? {
    let path = try path(of: service, settings)
    guard FileManager.default.fileExists(atPath: path) else { return nil }
    guard let ring = ServiceKeyRing(text: try String(contentsOfFile: path, encoding: .utf8)) else {
      throw unreadable(path)
    }
    let next = ring.rotated(at: now, announced: announced, atOnce: atOnce)
    try SecretFile.replace(path, with: next.text)
    return next.pairs.last.flatMap { Timestamp(seconds: $0.signsFrom) }
  }

  /// The public keys in a service's file; `nil` when it has none.
  static func published(of service: String, _ settings: Settings, at now: Timestamp) throws -> [ServicePublicKey]? {
    let path = try path(of: service, settings)
    guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { return nil }
    guard let ring = ServiceKeyRing(text: text) else { throw unreadable(path) }
    return ring.published(at: now)
  }
}
