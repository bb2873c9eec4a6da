import Contracts
import Crypto
import Foundation

/// The owner of the shop and the platform: an account that the operator has created for the demo. It is used as any
/// owner uses theirs: rights of staff need a second factor, so the demo sets up an authenticator app of its own.
struct DemoOwner: Sendable {
  let username: String
  let account: DemoAccount

  init(_ username: String, password: String, platform: DemoPlatform, journal: Journal) {
    self.username = username
    account = DemoAccount(platform) { try await Self.signIn(username, password, platform, journal) }
  }

  private static let secretStep = "owner.authenticator"

  private static func signIn(
    _ username: String, _ password: String, _ platform: DemoPlatform, _ journal: Journal
  ) async throws -> Authentication {
    let logIn = AuthAPI.LogIn(login: username, password: password, app: .web)
    for _ in 0..<3 {
      do {
        let session = try await platform.send(logIn)
        guard session.user.roles.contains(where: { $0 == .owner || $0 == .administrator }) else {
          throw DemoError("\(username) is not an owner: quintet accounts create --role owner")
        }
        return try await enrol(session, platform, journal)
      } catch let problem as Problem where problem.is(.secondFactorRequired) {
        guard let secret = journal[secretStep], let ticket = problem.secondFactor?.ticket else {
          throw DemoError("\(username) has a second factor already; create an owner for the demo alone.")
        }
        do {
          return try await platform.send(AuthAPI.CompleteLogIn(ticket: ticket, totp: code(of: secret)))
        } catch let problem as Problem where problem.is(.factorWrong) {
          // A code works once: the next one comes within half a minute.
          let seconds = 30 - TimeSource.system.now().unixSeconds % 30
          platform.progress.wait("Waiting up to 30 s for the next code of the authenticator app.")
          try await Task.sleep(for: .seconds(seconds))
        }
      } catch let problem as Problem where problem.is(.invalidCredentials) {
        throw DemoError("The password of \(username) is not the one that was given.")
      }
    }
    throw DemoError("No code of the authenticator app of \(username) was accepted.")
  }

  /// Sets up the authenticator app of an account without one.
  private static func enrol(
    _ session: Authentication, _ platform: DemoPlatform, _ journal: Journal
  ) async throws -> Authentication {
    guard session.missingFactor != nil else { return session }
    let secret = try await platform.send(AuthAPI.EnrolTOTP(), token: session.accessToken).secret
    // Before it takes effect: without the secret, no one could sign in any more.
    try journal.record(secretStep, secret)
    let confirmed = try await platform.send(
      AuthAPI.ConfirmTOTP(code: code(of: secret)), token: session.accessToken)
    var proved = session
    (proved.accessToken, proved.expiresIn) = (confirmed.session.accessToken, confirmed.session.expiresIn)
    return proved
  }

  /// The code that the demo's authenticator app shows now; `nil` when it has none.
  static func currentCode(_ journal: Journal) throws -> String? {
    try journal[secretStep].map { try code(of: $0).rawValue }
  }

  /// RFC 6238 with the usual parameters: SHA-1, six digits, 30 seconds.
  private static func code(of secret: String) throws -> OneTimeCode {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
    var (bits, count, key) = (0, 0, [UInt8]())
    for character in secret where character != "=" {
      guard let value = alphabet.firstIndex(of: character) else {
        throw DemoError("The authenticator's key is damaged.")
      }
      (bits, count) = (bits << 5 | value, count + 5)
      guard count >= 8 else { continue }
      count -= 8
      key.append(UInt8(bits >> count & 255))
      bits &= (1 << count) - 1
    }
    let counter = withUnsafeBytes(of: (TimeSource.system.now().unixSeconds / 30).bigEndian) { Data($0) }
    let mac = Array(HMAC<Insecure.SHA1>.authenticationCode(for: counter, using: SymmetricKey(data: key)))
    let start = Int(mac[19] & 15)
    let number = mac[start..<start + 4].reduce(0) { $0 << 8 | Int($1) } & 0x7FFF_FFFF
    return OneTimeCode(checked: "\(1_000_000 + number % 1_000_000)".dropFirst().description)
  }
}
