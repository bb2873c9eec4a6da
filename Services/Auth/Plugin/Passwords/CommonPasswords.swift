import Contracts
import ServiceKit

/// The most common passwords, which attackers try first; `scripts/common-passwords` generates the list.
struct CommonPasswords: Sendable {
  private let words: Set<String>

  /// Words about the platform and its apps: no password may consist of one of them and of digits or signs, such as
  /// `Quintet2026!`.
  static let context: Set<String> =
    Set(ClientApp.allCases.map(\.rawValue)).union([
      "quintet", "password", "passwort", "letmein", "welcome", "admin", "administrator", "support", "beats", "music",
      "fitness", "workout", "shop", "store", "roommate", "roommates", "study", "studying", "student", "school",
    ])

  init() {
    let list = String(decoding: PackageResources.common_passwords_txt, as: UTF8.self)
    words = Set(list.split(separator: "\n").map(String.init))
  }

  /// Rejects common passwords, words of the context, and passwords that equal the user's name or e-mail address.
  func check(_ password: Password, names: [String?]) throws {
    let text = password.rawValue.lowercased()
    let own = names.compactMap { $0?.lowercased() }.flatMap { [$0, String($0.prefix { $0 != "@" })] }
    guard !words.contains(text), !own.contains(text), !Self.context.contains(text.filter(\.isLetter)) else {
      throw Problem(
        .passwordTooCommon,
        errors: [.init(location: "body.password", message: "is too easy to guess")]
      )
    }
  }
}
