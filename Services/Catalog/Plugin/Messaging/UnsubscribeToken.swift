import Contracts
import ServiceKit

/// The token that unsubscribes one address, included in every email to it: the keyed hash of the address and an
/// authentication code. It is stateless, so that the link in an old email works after a new subscription, and a second
/// click has no further effect.
enum UnsubscribeToken {
  static func make(for lookup: String, _ keys: DataKeys) -> String { "\(lookup).\(proof(of: lookup, keys))" }

  /// The keyed hash of the address; `nil` when the token is not authentic.
  static func read(_ token: NewsletterToken, _ keys: DataKeys) -> String? {
    let parts = token.rawValue.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 2, SecureBytes.areEqual(Array(parts[1].utf8), Array(proof(of: String(parts[0]), keys).utf8))
    else { return nil }
    return String(parts[0])
  }

  private static func proof(of lookup: String, _ keys: DataKeys) -> String {
    keys.lookup(lookup, for: "newsletter.unsubscribe")
  }
}
