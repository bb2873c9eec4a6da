import Contracts
import ServiceKit

/// What unsubscribes one address, in every mail to it: the address's look-up and a proof that we have written it. Nothing
/// has to be kept, so that a click on an old mail works after a new subscription, and a second click does no harm.
enum UnsubscribeToken {
  static func make(for lookup: String, _ keys: DataKeys) -> String { "\(lookup).\(proof(of: lookup, keys))" }

  /// The look-up of the address; `nil` when the token is not ours.
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
