public import Contracts
import Crypto
import Foundation

/// An authenticator app, written independently of the service's code.
public struct AuthenticatorApp: Sendable {
  private let secret: SymmetricKey
  /// The codes as they were shown.
  public let recoveryCodes: [String]

  /// - Parameter base32: The secret as the service shows it.
  public init(base32: String, recoveryCodes: [String] = []) throws {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
    var bits = ""
    for character in base32 {
      guard let value = alphabet.firstIndex(of: character) else { throw TestKitError("\(base32) is not Base32") }
      let digits = String(value, radix: 2)
      bits += String(repeating: "0", count: 5 - digits.count) + digits
    }
    let bytes = stride(from: 0, to: bits.count / 8 * 8, by: 8).compactMap { start in
      UInt8(bits.dropFirst(start).prefix(8), radix: 2)
    }
    (secret, self.recoveryCodes) = (SymmetricKey(data: bytes), recoveryCodes)
  }

  /// The code that the app shows.
  public func code(at moment: Timestamp) -> OneTimeCode {
    let counter = withUnsafeBytes(of: (moment.unixSeconds / 30).bigEndian) { Data($0) }
    let mac = Array(HMAC<Insecure.SHA1>.authenticationCode(for: counter, using: secret))
    let start = Int(mac[19] % 16)
    let number = (0..<4).reduce(0) { $0 * 256 + Int(mac[start + $1]) } % 0x8000_0000 % 1_000_000
    let text = String(number)
    return OneTimeCode(checked: String(repeating: "0", count: 6 - text.count) + text)
  }
}

extension APIClient {
  /// Sets up an authenticator app for someone who has just signed in. The returned session has proved it, so staff may use
  /// it for administration.
  public func setUpAuthenticatorApp(_ session: Authentication, at moment: Timestamp) async throws -> (
    session: Authentication, app: AuthenticatorApp
  ) {
    let client = with(accessToken: session.accessToken)
    let secret = try await client.send(AuthAPI.EnrolTOTP()).secret
    let code = try AuthenticatorApp(base32: secret).code(at: moment)
    let enrolled = try await client.send(AuthAPI.ConfirmTOTP(code: code))
    var proved = session
    proved.accessToken = enrolled.session.accessToken
    proved.missingFactor = nil
    return (proved, try AuthenticatorApp(base32: secret, recoveryCodes: enrolled.recoveryCodes ?? []))
  }
}
