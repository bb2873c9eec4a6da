import Crypto
import Foundation
public import Persistence
import Synchronization

/// The keys that protect personal data: AES-256-GCM for values, HMAC-SHA256 for lookups.
///
/// The key ring is a list of `name:base64 of 32 bytes`, separated by commas or line breaks. The first key encrypts and
/// all keys decrypt, so that a new first key can be added while values of the old one still exist; `quintet keys
/// rotate` adds a key and re-encrypts the values. The key named `lookup` is used only for lookups and is never rotated.
public final class DataKeys: Sendable {
  private struct Ring {
    var encrypting: [(name: String, key: SymmetricKey)]
    var lookup: SymmetricKey
  }

  private let ring: Mutex<Ring>
  /// The key file; read again when a value uses a key that another process has added.
  private let path: String?

  private static let version = "v1"
  private static let lookupName = "lookup"

  private init(_ text: String, path: String?) throws(SettingError) {
    ring = Mutex(try Self.parse(text))
    self.path = path
  }

  /// Loads the keys from the setting, otherwise from the file in the data folder, which is created when it is missing.
  static func load(_ settings: Settings, dataFolder: String) throws -> DataKeys {
    if let text = try settings[PlatformSettings.dataKeys] { return try DataKeys(text, path: nil) }
    guard try settings[PlatformSettings.databaseURL] == nil else {
      throw SettingError(PlatformSettings.dataKeys, "is not set, but is required with PostgreSQL")
    }
    let path = "\(dataFolder)/data-keys"
    let text = try SecretFile.load(path) { "\(line(newName()))\n\(line(lookupName))\n" }
    return try DataKeys(text, path: path)
  }

  /// Loads or creates separate keys in a folder.
  package static func forTests(_ folder: String) throws -> DataKeys { try load(Settings([:]), dataFolder: folder) }

  /// Adds a new first key to the key file.
  /// - Throws: ``SettingError`` when the keys come from a setting, which only the operator can change.
  func addKey() throws {
    guard let path, let text = try? String(contentsOfFile: path, encoding: .utf8) else {
      throw SettingError(PlatformSettings.dataKeys, "is set explicitly: add a new first key to it, then rotate again")
    }
    let extended = "\(Self.line(Self.newName()))\n\(text)"
    let new = try Self.parse(extended)
    try SecretFile.replace(path, with: extended)
    ring.withLock { $0 = new }
  }

  private static func newName() -> String { SecureBytes.random(4).hexadecimal }

  private static func line(_ name: String) -> String {
    let key = SecureBytes.random(32)
    return "\(name):\(Data(key).base64EncodedString())"
  }

  private static func parse(_ text: String) throws(SettingError) -> Ring {
    var encrypting: [(String, SymmetricKey)] = []
    var lookup: SymmetricKey?
    for entry in text.split(whereSeparator: { $0 == "," || $0.isNewline }) {
      let parts = entry.split(separator: ":", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
      guard parts.count == 2, !parts[0].contains("."), let bytes = Data(base64Encoded: parts[1]), bytes.count == 32
      else {
        throw SettingError(PlatformSettings.dataKeys, "is invalid")
      }
      if parts[0] == lookupName {
        lookup = SymmetricKey(data: bytes)
      } else {
        encrypting.append((parts[0], SymmetricKey(data: bytes)))
      }
    }
    guard let lookup, !encrypting.isEmpty else { throw SettingError(PlatformSettings.dataKeys, "is invalid") }
    return Ring(encrypting: encrypting, lookup: lookup)
  }

  // MARK: values

  /// The name of the key that currently encrypts.
  var current: String { ring.withLock { $0.encrypting[0].name } }

  /// Encrypts a value and binds it to one place in the database; it does not decrypt in any other place.
  public func seal(_ bytes: [UInt8], in column: SealedColumn, row: String) throws -> String {
    let (name, key) = ring.withLock { $0.encrypting[0] }
    let box = try AES.GCM.seal(bytes, using: key, authenticating: column.associatedData(of: row))
    return "\(Self.version).\(name).\(Base64URL.encode(Array(box.nonce) + box.ciphertext + box.tag))"
  }

  /// Decrypts a value that ``seal(_:in:row:)`` encrypted for the same place.
  /// - Throws: ``UnreadableValue``.
  public func open(_ text: String, in column: SealedColumn, row: String) throws -> [UInt8] {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, parts[0] == Self.version, let bytes = Base64URL.decode(parts[2]), bytes.count >= 28,
      let key = key(named: String(parts[1]))
    else { throw UnreadableValue() }
    do {
      let box = try AES.GCM.SealedBox(combined: Data(bytes))
      return Array(try AES.GCM.open(box, using: key, authenticating: column.associatedData(of: row)))
    } catch {
      throw UnreadableValue()
    }
  }

  /// Whether a value is encrypted with the key that encrypts now; others are to be encrypted again.
  public func isCurrent(_ text: String) -> Bool { text.hasPrefix("\(Self.version).\(current).") }

  /// The value's key is not in the ring, or the value was altered.
  public struct UnreadableValue: Error {}

  private static let canary = SealedColumn("data_keys", key: "name", "sealed")

  /// Rejects a database whose values are encrypted with other keys; marks a new database as encrypted with these keys.
  func claim(_ database: any Database) async throws {
    let isOwn = try await database.write { [self] tx in
      let mark = try tx.value("SELECT sealed FROM data_keys WHERE name = 'mark'", as: String.self)
      if let mark { return (try? open(mark, in: Self.canary, row: "mark")) != nil }
      try tx.execute("INSERT INTO data_keys (name, sealed) VALUES ('mark', \(seal([1], in: Self.canary, row: "mark")))")
      return true
    }
    guard isOwn else {
      throw SettingError(PlatformSettings.dataKeys, "lacks the key that encrypts the database's values")
    }
  }

  /// Re-encrypts all values of a database that are not encrypted with the first key.
  func reseal(_ columns: [SealedColumn], of database: any Database) async throws -> Int {
    var count = 0
    for column in columns + [Job.payload, Self.canary] { count += try await column.reseal(self, in: database) }
    return count
  }

  private func key(named name: String) -> SymmetricKey? {
    if let key = ring.withLock({ $0.encrypting.first { $0.name == name }?.key }) { return key }
    guard let path, let text = try? String(contentsOfFile: path, encoding: .utf8), let new = try? Self.parse(text)
    else {
      return nil
    }
    return ring.withLock { ring in
      ring = new
      return new.encrypting.first { $0.name == name }?.key
    }
  }

  /// Returns a keyed hash of a text, for columns that must be searchable or unique without being readable.
  ///
  /// - Parameter purpose: Separates the lookups of different fields.
  public func lookup(_ text: String, for purpose: StaticString) -> String {
    let key = ring.withLock { $0.lookup }
    return Base64URL.encode(HMAC<SHA256>.authenticationCode(for: Data("\(purpose)\n\(text)".utf8), using: key))
  }

  /// A key of its own for another purpose, which never changes; what it authenticates is valid for no other purpose.
  func derived(_ purpose: StaticString) -> SymmetricKey {
    HKDF<SHA256>.deriveKey(
      inputKeyMaterial: ring.withLock { $0.lookup }, info: Data("\(purpose)".utf8), outputByteCount: 32)
  }
}

extension DataKeys: AuditKeys {
  public var auditKey: String { current }

  /// Under a key derived from an encrypting key. A key must stay in the ring while entries have its name.
  public func auditCode(of bytes: [UInt8], key name: String) -> String? {
    guard let key = key(named: name) else { return nil }
    let derived = HKDF<SHA256>.deriveKey(inputKeyMaterial: key, info: Data("audit".utf8), outputByteCount: 32)
    return HMAC<SHA256>.authenticationCode(for: bytes, using: derived).hexadecimal
  }
}

/// A column whose values are encrypted with ``DataKeys``.
public struct SealedColumn: Sendable {
  let table: StaticString
  let key: StaticString
  let column: StaticString

  /// - Parameter key: The table's key column, whose value is part of a sealed value's place.
  public init(_ table: StaticString, key: StaticString = "id", _ column: StaticString) {
    self.table = table
    self.key = key
    self.column = column
  }

  func associatedData(of row: String) -> Data { Data("\(table).\(column):\(row)".utf8) }

  /// Re-encrypts every value that is not encrypted with the first key.
  /// - Returns: The number of re-encrypted values.
  func reseal(_ keys: DataKeys, in database: any Database) async throws -> Int {
    let prefix = "v1.\(keys.current)."
    var after = ""
    var count = 0
    while true {
      let start = after
      let batch = try await database.write { tx in
        let rows = try tx.all(
          """
          SELECT \(raw: key) AS key, \(raw: column) AS value FROM \(raw: table) WHERE \(raw: key) > \(start)
          ORDER BY \(raw: key) LIMIT 200
          """
        ) { row -> (key: String, value: String?) in (try row["key"], try row["value"]) }
        var changed = 0
        for row in rows {
          guard let value = row.value, !value.hasPrefix(prefix) else { continue }
          let fresh = try keys.seal(keys.open(value, in: self, row: row.key), in: self, row: row.key)
          try tx.execute("UPDATE \(raw: table) SET \(raw: column) = \(fresh) WHERE \(raw: key) = \(row.key)")
          changed += 1
        }
        return (last: rows.last?.key, changed: changed)
      }
      guard let last = batch.last else { return count }
      after = last
      count += batch.changed
    }
  }
}
