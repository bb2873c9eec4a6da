import Crypto
import Foundation
import Persistence

extension PlatformBackup {
  /// Copies all databases of a platform that is stopped from one kind of database to the other, and compares them.
  ///
  /// - Parameters:
  ///   - source: `sqlite`, which is the data folder, or a URL such as `postgres://host/database`.
  ///   - target: The same; it must be empty.
  ///   - progress: Called after each database with the service's name and the number of rows.
  /// - Throws: ``SettingError`` also when the source was written to in the meantime.
  public func move(
    from source: String, to target: String, progress: (String, Int) -> Void
  ) async throws {
    let (source, target) = (try named(source), try named(target))
    guard source.place != target.place else { throw SettingError(message: "--from and --to name the same databases") }
    try await requireEmpty(manifests, in: target)
    let temporary = "\(dataFolder)/temporary"
    try PrivateFiles.makeFolder(temporary)
    // The copy is read once, by this process.
    let key = SymmetricKey(size: .bits256)
    var copied: [(service: Manifest, summary: DatabaseSummary)] = []
    for service in manifests where try await hasDatabase(service, in: source) {
      let path = "\(temporary)/\(UUID().uuidString.lowercased())"
      defer { unlink(path) }
      let summary = try await withDatabase(of: service, in: source) { database in
        try await database.copyRows {
          try BackupFileWriter(path, name: BackupManifest.rows(of: service.name), key: key)
        }
      }
      try await load(service, summary, in: target, path: path, key: key)
      copied.append((service, summary))
      progress(service.name, summary.rows)
    }
    guard !copied.isEmpty else { throw SettingError(message: "there is no database at --from") }
    for (service, summary) in copied {
      let now = try await withDatabase(of: service, in: source) { try await $0.summarized() }
      guard now == summary else {
        throw SettingError(
          message: "the database of \(service.name) was changed while it was copied; stop all services, empty the "
            + "target and move again")
      }
    }
  }

  private func named(_ text: String) throws(SettingError) -> ServiceDatabases {
    var databases = databases
    databases.place = try place(text)
    return databases
  }

  private func place(_ text: String) throws(SettingError) -> ServiceDatabases.Place {
    if text == "sqlite" { return .sqlite(folder: dataFolder) }
    guard text.hasPrefix("postgres://") || text.hasPrefix("postgresql://") else {
      throw SettingError(message: "\(text) must be sqlite or a URL such as postgres://user@host/database")
    }
    return .postgresql(url: text)
  }
}
