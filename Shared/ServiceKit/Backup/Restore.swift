import Crypto
import Foundation
import Logging
import Persistence

extension PlatformBackup {
  /// Reads all of a backup and compares it with its manifest.
  /// - Returns: What is damaged or missing, in words.
  public func verify(_ folder: String) throws -> [String] {
    let folder = folder.absolutePath
    let manifest = try BackupManifest.read(in: folder, key: key)
    var flaws: [String] = []
    func check(_ body: () throws -> Void) { do { try body() } catch { flaws.append("\(error)") } }
    for (name, hash) in manifest.files.sorted(by: { $0.key < $1.key }) {
      check {
        let path = "\(folder)/\(name)"
        guard try BackupFile.hash(path) == hash else { throw BackupFile.Damaged(path: path, problem: "is damaged") }
      }
    }
    for (service, copy) in manifest.databases.sorted(by: { $0.key < $1.key }) {
      check {
        let name = BackupManifest.rows(of: service)
        var input = try BackupFileReader("\(folder)/\(name)", name: name, key: key)
        let differences = try TableSummary.tables(of: &input).differences(from: copy.tables)
        guard differences.isEmpty else {
          throw BackupFile.Damaged(
            path: "\(folder)/\(name)", problem: "differs from the manifest in \(differences.joined(separator: ", "))")
        }
      }
    }
    for name in manifest.keyFiles {
      check { _ = try BackupFile.content("\(folder)/\(name).sealed", name: name, key: key) }
    }
    let blobs = blobs(beside: folder)
    for blob in manifest.blobs { check { try blobs.read(blob.hash) } }
    return flaws
  }

  /// Fills empty databases, of either kind, from a backup that was verified; the data folder gets the key files.
  public func restore(_ folder: String, files: (any BackedUpFiles)?) async throws -> Report {
    let folder = folder.absolutePath
    let manifest = try BackupManifest.read(in: folder, key: key)
    let services = try manifest.databases.keys.sorted().map { name in
      guard let service = manifests.first(where: { $0.name == name }) else {
        throw SettingError(message: "the backup has a database of \(name), which this executable does not have")
      }
      return service
    }
    try await requireEmpty(services, in: databases)
    try restoreKeyFiles(manifest, folder)
    var report = Report(folder: folder, hasKeyFiles: !manifest.keyFiles.isEmpty)
    for service in services {
      guard let copy = manifest.databases[service.name] else { continue }
      try await withDatabase(of: service, in: databases) { database in
        let path = "\(folder)/\(BackupManifest.rows(of: service.name))"
        try await load(service, copy, into: database, path: path, key: key)
        // Only now those that the backup lacks.
        try await database.migrate(service.allMigrations, logger: logger)
      }
      report.rows[service.name] = copy.rows
    }
    guard let files else { return report }
    let temporary = "\(dataFolder)/temporary"
    try PrivateFiles.makeFolder(temporary)
    let blobs = blobs(beside: folder)
    for blob in manifest.blobs {
      let path = "\(temporary)/\(UUID().uuidString.lowercased())"
      defer { unlink(path) }
      do {
        try write(blob.hash, of: blobs, to: path)
      } catch let error as BackupFile.Damaged {
        logger.error("a file cannot be restored", metadata: ["problem": "\(error)"])
        report.damaged.append(blob.hash)
        continue
      }
      try await files.store(fileAt: path, as: blob.hash)
      report.files += 1
    }
    return report
  }

  private func blobs(beside folder: String) -> BackupBlobs {
    BackupBlobs(folder: "\((folder as NSString).deletingLastPathComponent)/blobs", key: key)
  }

  private func write(_ hash: String, of blobs: BackupBlobs, to path: String) throws {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw SecretFile.CannotWrite(path: path) }
    let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    try blobs.read(hash) { try file.write(contentsOf: Data($0)) }
    try file.close()
  }

  /// A key file that is there already must be the same: with another one, the rows could not be read.
  private func restoreKeyFiles(_ manifest: BackupManifest, _ folder: String) throws {
    try PrivateFiles.makeFolder(dataFolder)
    for name in manifest.keyFiles {
      let content = try BackupFile.content("\(folder)/\(name).sealed", name: name, key: key)
      let text = String(decoding: content, as: UTF8.self)
      guard try SecretFile.load("\(dataFolder)/\(name)", orMake: { text }) == text else {
        throw SettingError(message: "\(dataFolder)/\(name) is another one than in the backup; move it away first")
      }
    }
  }
}
