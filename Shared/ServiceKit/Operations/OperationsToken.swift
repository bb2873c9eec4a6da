import Contracts
import Crypto
import HTTPTypes
import HummingbirdCore
import Logging
import Persistence

/// The bearer token of what changes something on the private port. Whoever reaches the port may read, but not change.
struct OperationsToken: Sendable {
  /// `nil` when there is none: then nothing can be changed.
  private let digest: SHA256Digest?

  init(_ token: String?) { digest = token.map { SHA256.hash(data: Array($0.utf8)) } }

  /// The token of the setting; otherwise that of a file in the data folder, which is created with one.
  static func load(_ settings: Settings, _ logger: Logger) throws(SettingError) -> OperationsToken {
    if let token = try settings[PlatformSettings.operationsToken] { return OperationsToken(token) }
    let path = "\(try settings[PlatformSettings.data].absolutePath)/operations-token"
    do {
      let text = try SecretFile.load(path) { SecureBytes.random(32).hexadecimal + "\n" }
      let token = text.filter { !$0.isWhitespace }
      return OperationsToken(token.utf8.count >= 32 ? token : nil)
    } catch {
      logger.warning(
        "the private port changes nothing: operations.token is not set, and its file cannot be written",
        metadata: ["error": "\(error)"])
      return OperationsToken(nil)
    }
  }

  /// - Throws: ``Problem`` 401 or 403.
  func require(in request: Request) throws(Problem) {
    guard let given = BearerToken.read(request.headers[values: .authorization]) else { throw Problem(.tokenMissing) }
    // Digests are compared in constant time.
    guard let digest, SHA256.hash(data: Array(given.utf8)) == digest else { throw Problem(.tokenInvalid) }
  }
}
