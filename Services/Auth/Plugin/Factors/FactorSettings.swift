import Foundation
import ServiceKit

/// The name and the web addresses under which second factors are known.
enum FactorSettings {
  static let productName = Setting<String>(
    "auth.productName",
    default: "Quintet",
    expects: "1 to 60 characters without a colon",
    "Name of the product in authenticator apps and passkey dialogs"
  ) { (1...60).contains($0.count) && !$0.contains(":") ? $0 : nil }

  static let passkeyDomain = Setting<String?>(
    "auth.passkeyDomain",
    default: .some(nil),
    expects: "a domain such as example.com",
    "Domain of passkeys (WebAuthn's relying party id); the host of auth.publicUrl if unset. Passkeys of another domain "
      + "stop working"
  ) { text in
    let isDomain = text.utf8.allSatisfy { byte in
      (0x30...0x39).contains(byte) || (0x61...0x7a).contains(byte) || byte == 0x2d || byte == 0x2e
    }
    return isDomain && (1...253).contains(text.utf8.count) ? .some(text) : nil
  }

  static let passkeyOrigins = Setting<[String]>(
    "auth.passkeyOrigins",
    default: [],
    expects: "origins separated by commas, such as https://www.example.com,android:apk-key-hash:…",
    "Origins of the pages and apps in which passkeys are used; that of auth.publicUrl if unset"
  ) { text in
    let origins = text.split(separator: ",").map { String($0.trimming { $0 == " " }) }
    return origins.allSatisfy(isOrigin) && !origins.isEmpty ? origins : nil
  }

  static let all: [any SettingDescription] = [productName, passkeyDomain, passkeyOrigins]

  private static func isOrigin(_ text: String) -> Bool {
    if text.hasPrefix("android:apk-key-hash:") { return true }
    guard let url = URL(string: text), let host = url.host() else { return false }
    return origin(of: url) == text && (url.scheme == "https" || host == "localhost" || host == "127.0.0.1")
  }

  static func origin(of url: URL) -> String? {
    guard let scheme = url.scheme?.lowercased(), let host = url.host()?.lowercased() else { return nil }
    return url.port.map { "\(scheme)://\(host):\($0)" } ?? "\(scheme)://\(host)"
  }
}

extension StringProtocol {
  fileprivate func trimming(_ isSpace: (Character) -> Bool) -> SubSequence {
    var rest = self[...]
    while let first = rest.first, isSpace(first) { rest.removeFirst() }
    while let last = rest.last, isSpace(last) { rest.removeLast() }
    return rest
  }
}

/// The relying party of passkeys: its domain, and the pages and apps that may use them.
struct RelyingParty: Sendable {
  var name: String
  var domain: String
  var origins: Set<String>

  init(name: String, domain: String, origins: Set<String>) {
    (self.name, self.domain, self.origins) = (name, domain, origins)
  }

  init(_ settings: Settings) throws {
    let publicURL = URL(string: try settings[AuthSettings.publicURL])
    let origins = try settings[FactorSettings.passkeyOrigins]
    name = try settings[FactorSettings.productName]
    domain = try settings[FactorSettings.passkeyDomain] ?? publicURL?.host()?.lowercased() ?? "localhost"
    self.origins = origins.isEmpty ? Set(publicURL.flatMap(FactorSettings.origin).map { [$0] } ?? []) : Set(origins)
  }
}
