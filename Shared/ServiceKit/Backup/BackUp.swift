import Contracts
import Foundation
import Persistence

extension PlatformBackup {
  /// Makes a backup while the platform runs: of each database one consistent snapshot, then of files that no earlier
  /// backup in the folder has.
  ///
  /// - Parameters:
  ///   - folder: The folder of all backups; each gets a folder of its own in it, named after the time.
  ///   - files: Media; they must outlive the rows that name them by as long as a backup takes.
  public func backUp(to folder: String, files: (any BackedUpFiles)?) async throws -> Report {
    let now = TimeSource.system.now()
    let folder = folder.absolutePath
    let own = "\(folder)/\(now.description.replacing(":", with: "-"))"
    var manifest = BackupManifest(madeAt: now)
    var report = Report(folder: own)
    try PrivateFiles.makeFolder(own)
    for service in manifests where try await hasDatabase(service, in: databases) {
      let name = BackupManifest.rows(of: service.name)
      let (path, key) = ("\(own)/\(name)", key)
      let summary = try await withDatabase(of: service, in: databases) { database in
        try await database.copyRows { try BackupFileWriter(path, name: name, key: key) }
      }
      manifest.databases[service.name] = summary
      manifest.files[name] = try BackupFile.hash(path)
      report.rows[service.name] = summary.rows
    }
    guard !manifest.databases.isEmpty else { throw SettingError(message: "there is no database to back up") }
    if key != nil { try copyKeyFiles(to: own, &manifest) }
    report.hasKeyFiles = !manifest.keyFiles.isEmpty
    if let files { try await copy(files, to: folder, &manifest, &report) }
    try manifest.write(in: own, key: key)
    return report
  }

  /// Only into encrypted backups: next to the rows, the keys would make their encryption useless.
  private func copyKeyFiles(to folder: String, _ manifest: inout BackupManifest) throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: dataFolder).sorted()
    for name in names where name == "data-keys" || name.hasSuffix(".pem") || name.hasPrefix("service-keys-") {
      guard let content = FileManager.default.contents(atPath: "\(dataFolder)/\(name)") else { continue }
      let path = "\(folder)/\(name).sealed"
      var writer = try BackupFileWriter(path, name: name, key: key)
      try writer.write(Array(content))
      try writer.finish()
      manifest.keyFiles.append(name)
      manifest.files["\(name).sealed"] = try BackupFile.hash(path)
    }
  }

  private func copy(
    _ files: any BackedUpFiles, to folder: String, _ manifest: inout BackupManifest, _ report: inout Report
  ) async throws {
    let blobs = BackupBlobs(folder: "\(folder)/blobs", key: key)
    let temporary = "\(dataFolder)/temporary"
    try PrivateFiles.makeFolder(temporary)
    var last: String?
    while case let page = try await files.list(after: last), let end = page.last {
      for file in page {
        if !blobs.contains(file.hash) {
          let path = "\(temporary)/\(UUID().uuidString.lowercased())"
          defer { unlink(path) }
          guard try await files.copy(file.hash, to: path) else {
            report.damaged.append(file.hash)
            continue
          }
          try blobs.add(fileAt: path, as: file.hash)
          report.newFiles += 1
        }
        report.files += 1
        manifest.blobs.append(.init(hash: file.hash, bytes: file.bytes))
      }
      last = end.hash
    }
  }
}
