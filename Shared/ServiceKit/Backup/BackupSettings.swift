import Crypto
import Foundation

/// The settings of `quintet backup`, `restore` and `verify`.
enum BackupSettings {
  static let key = Setting<String?>(
    "backup.key", default: .some(nil), expects: "base64 of 32 bytes, as from openssl rand -base64 32", isSecret: true,
    "Key that encrypts backups; without it they are not encrypted and contain no key files"
  ) { text in Data(base64Encoded: text)?.count == 32 ? .some(text) : nil }

  static func symmetricKey(_ settings: Settings) throws(SettingError) -> SymmetricKey? {
    try settings[key].flatMap { Data(base64Encoded: $0) }.map { SymmetricKey(data: $0) }
  }
}
