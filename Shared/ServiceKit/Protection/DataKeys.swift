import Crypto
import Foundation
import Persistence
import Synchronization

/// The keys under which services keep personal data: AES-256-GCM for values, HMAC-SHA256 for looking them up.
///
/// The ring is a list of `name:base64 of 32 bytes`, parted by commas or lines. The first key encrypts, all decrypt, so
/// that a new key is put in front while values of the old one are still about; `quintet keys rotate` does both. The key
/// named `lookup` only makes look-ups and stays for good.
public final class DataKeys: Sendable {
  private struct Ring {
    var encrypting: [(name: String, key: SymmetricKey)]
    var lookup: SymmetricKey
  }

  private let ring: Mutex<Ring>
  /// The file that is read again when a value names a key that another process has added.
  private let path: String?

  private static let version = "v1"
  private static let lookupName = "lookup"

  private init(_ text: String, path: String?) throws(SettingError) {
    ring = Mutex(try Self.parse(text))
    self.path = path
  }

  /// The ring of the setting, else of the file in the data folder, which is made when it is missing.
  static func load(_ settings: Settings, dataFolder: String) throws -> DataKeys {
    if let text = try settings[PlatformSettings.dataKeys] { return try DataKeys(text, path: nil) }
    guard try settings[PlatformSettings.databaseURL] == nil else {
      throw SettingError(PlatformSettings.dataKeys, "is not set, but the database outlives this machine's files")
    }
    let path = "\(dataFolder)/data-keys"
    let text = try SecretFile.load(path) { "\(line(newName()))\n\(line(lookupName))\n" }
    return try DataKeys(text, path: path)
  }

  /// A ring of its own in a folder.
  package static func forTests(_ folder: String) throws -> DataKeys { try load(Settings([:]), dataFolder: folder) }

  /// Puts a new key in front of the ring's file.
  /// - Throws: ``SettingError`` when the ring comes from a setting, which only its owner can change.
  func addKey() throws {
    guard let path, let text = try? String(contentsOfFile: path, encoding: .utf8) else {
      throw SettingError(PlatformSettings.dataKeys, "is set by you: put a new key in front of it, then rotate again")
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
        throw SettingError(PlatformSettings.dataKeys, "is wrong")
      }
      if parts[0] == lookupName {
        lookup = SymmetricKey(data: bytes)
      } else {
        encrypting.append((parts[0], SymmetricKey(data: bytes)))
      }
    }
    guard let lookup, !encrypting.isEmpty else { throw SettingError(PlatformSettings.dataKeys, "is wrong") }
    return Ring(encrypting: encrypting, lookup: lookup)
  }

  // MARK: values

  /// The name of the key that encrypts now.
  var current: String { ring.withLock { $0.encrypting[0].name } }

  /// Encrypts a value for one place in the database; moved to another place it does not decrypt.
  public func seal(_ bytes: [UInt8], in column: SealedColumn, row: String) throws -> String {
    let (name, key) = ring.withLock { $0.encrypting[0] }
    let box = try AES.GCM.seal(bytes, using: key, authenticating: column.place(of: row))
    return "\(Self.version).\(name).\(Base64URL.encode(Array(box.nonce) + box.ciphertext + box.tag))"
  }

  /// Decrypts what ``seal(_:in:row:)`` has made for the same place.
  /// - Throws: ``UnreadableValue``.
  public func open(_ text: String, in column: SealedColumn, row: String) throws -> [UInt8] {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, parts[0] == Self.version, let bytes = Base64URL.decode(parts[2]), bytes.count >= 28,
      let key = key(named: String(parts[1]))
    else { throw UnreadableValue() }
    do {
      let box = try AES.GCM.SealedBox(combined: Data(bytes))
      return Array(try AES.GCM.open(box, using: key, authenticating: column.place(of: row)))
    } catch {
      throw UnreadableValue()
    }
  }

  /// The value's key is not in the ring, or the value was altered.
  public struct UnreadableValue: Error {}

  private static let canary = SealedColumn("data_keys", key: "name", "sealed")

  /// Refuses a database whose values are under another ring; a new database is marked as this ring's.
  func claim(_ database: any Database) async throws {
    let isOwn = try await database.write { [self] tx in
      let mark = try tx.first("SELECT sealed FROM data_keys WHERE name = 'mark'") { row -> String in try row[0] }
      if let mark { return (try? open(mark, in: Self.canary, row: "mark")) != nil }
      try tx.execute("INSERT INTO data_keys (name, sealed) VALUES ('mark', \(seal([1], in: Self.canary, row: "mark")))")
      return true
    }
    guard isOwn else {
      throw SettingError(PlatformSettings.dataKeys, "lacks the key under which the database's values are")
    }
  }

  /// Encrypts everything of a database anew that is not under the ring's first key.
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

  /// What stands for a text where it must be found or be unique without being readable.
  ///
  /// - Parameter purpose: Keeps look-ups of different fields apart.
  public func lookup(_ text: String, for purpose: StaticString) -> String {
    let key = ring.withLock { $0.lookup }
    return Base64URL.encode(HMAC<SHA256>.authenticationCode(for: Data("\(purpose)\n\(text)".utf8), using: key))
  }
}

/// A column that holds values of ``DataKeys``.
public struct SealedColumn: Sendable {
  let table: StaticString
  let key: StaticString
  let column: StaticString

  /// - Parameter key: The table's key column, whose value belongs to a sealed value's place.
  public init(_ table: StaticString, key: StaticString = "id", _ column: StaticString) {
    self.table = table
    self.key = key
    self.column = column
  }

  func place(of row: String) -> Data { Data("\(table).\(column):\(row)".utf8) }

  /// Encrypts every value anew that is not under the ring's first key.
  /// - Returns: How many there were.
  func reseal(_ keys: DataKeys, in database: any Database) async throws -> Int {
    let prefix = "v1.\(keys.current)."
    var after = ""
    var count = 0
    while true {
      let start = after
      let batch = try await database.write { tx in
        let rows = try tx.all(
          """
          SELECT \(raw: key), \(raw: column) FROM \(raw: table) WHERE \(raw: key) > \(start)
          ORDER BY \(raw: key) LIMIT 200
          """
        ) { row -> (key: String, value: String?) in (try row[0], try row[1]) }
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
