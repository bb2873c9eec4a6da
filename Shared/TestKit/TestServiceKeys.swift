import Foundation
import ServiceKit

/// How services of tests know each other: their public keys are in a folder, as an operator would distribute them.
public enum TestServiceKeys {
  /// The executables that run one service, and so are called like it.
  private static let executables = [
    "auth", "catalog", "gateway", "guestbook", "matching", "media-index", "orders", "study-sync",
  ]

  /// Shared by all tests of a machine: a name always has the same key.
  private static let folder = FileManager.default.temporaryDirectory.appendingPathComponent("quintet-test-keys").path

  /// The settings of a process that hosts services, by key.
  public static func settings(of services: [String]) throws -> [String: String] {
    try ServiceKeysForTests.publish(executables + services, in: folder)
    var settings = ["service.publicKeyFolder": folder]
    if let only = services.first, services.count == 1 {
      settings["service.privateKeys"] = try ServiceKeysForTests.privateKey(of: only)
    }
    return settings
  }

  /// The environment of an executable.
  static func environment(of executable: String) throws -> [String: String] {
    let settings = try settings(of: executables.contains(executable) ? [executable] : [])
    return Dictionary(
      uniqueKeysWithValues: settings.map { (ServiceHost.environmentVariable(of: $0.key), $0.value) })
  }

  /// A token as a service in another process sends it.
  ///
  /// - Parameter signer: The service whose key signs it; the caller itself by default.
  public static func token(caller: String, audience: String, signedAs signer: String? = nil) throws -> String {
    try ServiceKeysForTests.token(caller: caller, audience: audience, signedAs: signer)
  }
}
