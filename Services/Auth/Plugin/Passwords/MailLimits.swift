import Contracts
import HTTPServing
import Persistence
import ServiceKit

/// Limits the mails that anyone can cause to be sent to any address: those that verify an address, reset a password and ask
/// a guardian.
struct MailLimits: Sendable {
  private let keys: DataKeys
  private let perHour: Int

  /// One network cannot use up what an address may get, so its owner gets a mail although others have asked for some.
  private static let toAddressFromNetwork = RateLimit(4, per: 28_800, pause: .untilOneIsForgotten)
  private static let toAddress = RateLimit(20, per: 86_400, pause: .untilOneIsForgotten)
  /// A school or a company may share one network.
  private static let fromNetwork = RateLimit(200, per: 3600, pause: .untilOneIsForgotten)
  /// One customer of a provider may have many networks of IPv6, and the neighbours may be other customers.
  private static let toAddressFromAround = RateLimit(8, per: 28_800, pause: .untilOneIsForgotten)
  private static let fromAround = RateLimit(1000, per: 3600, pause: .untilOneIsForgotten)
  /// The total is counted in parts, so that transactions that send mail rarely wait for each other.
  private static let mailsPerPart = 1000

  init(_ environment: ServiceEnvironment) throws {
    (keys, perHour) = (environment.dataKeys, try environment.settings[AuthSettings.mailsPerHour])
  }

  /// Counts a mail.
  /// - Returns: The seconds to wait when a limit is reached, in which case nothing is counted; otherwise `nil`.
  func take(to address: EmailAddress, from client: String?, in tx: Transaction) throws -> Int? {
    var taken: [StoredLimit] = []
    for limit in limits(to: address, from: client) {
      if let wait = try limit.take(in: tx) {
        for limit in taken { try limit.undo(in: tx) }
        return wait
      }
      taken.append(limit)
    }
    return nil
  }

  private func limits(to address: EmailAddress, from client: String?) -> [StoredLimit] {
    let network = ClientNetwork.of(client ?? "unknown")
    let around = ClientNetwork.around(client ?? "unknown")
    let target = Self.mailbox(address)
    return [
      StoredLimit(Self.fromNetwork, of: network, for: "mails-from", keys),
      StoredLimit(Self.fromAround, of: around, for: "mails-from-around", keys),
      StoredLimit(Self.toAddressFromNetwork, of: "\(network) \(target)", for: "mails-from-to", keys),
      StoredLimit(Self.toAddressFromAround, of: "\(around) \(target)", for: "mails-around-to", keys),
      StoredLimit(Self.toAddress, of: target, for: "mails-to", keys),
    ] + total(target)
  }

  /// The mailbox that an address most likely names: `ada+shop@…` and, at Gmail, `a.d.a@…` arrive at `ada@…`.
  static func mailbox(_ address: EmailAddress) -> String {
    let parts = address.rawValue.lowercased().split(separator: "@", maxSplits: 1)
    guard parts.count == 2, let name = parts[0].split(separator: "+", omittingEmptySubsequences: false).first,
      !name.isEmpty
    else { return address.rawValue.lowercased() }
    let isGmail = ["gmail.com", "googlemail.com"].contains(String(parts[1]))
    return isGmail ? "\(name.filter { $0 != "." })@gmail.com" : "\(name)@\(parts[1])"
  }

  private func total(_ target: String) -> [StoredLimit] {
    guard perHour > 0 else { return [] }
    let parts = max(1, min(16, perHour / Self.mailsPerPart))
    let part = Int(keys.lookup(target, for: "mails-part").utf8.first ?? 0) % parts
    let limit = RateLimit(perHour / parts, per: 3600, pause: .untilOneIsForgotten)
    return [StoredLimit(limit, of: "part \(part) of \(parts)", for: "mails-total", keys)]
  }
}
