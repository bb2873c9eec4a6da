import BlobStorage
import Contracts
import Foundation
import Persistence
import ServiceKit
import SystemPackage
import Threads

/// Folders for the intermediate files of jobs, each of one run: one that was replaced may go on for a while beside the
/// run that replaces it. What a process that was killed left behind is removed when no job is claimed for it any more.
struct ProcessingFolders: Sendable {
  private let root: String

  init(_ environment: ServiceEnvironment) { root = "\(environment.dataFolder)/processing" }

  /// Runs the work of a job in an empty folder, which is removed afterwards.
  func with<Value: Sendable>(_ job: Job, _ body: (_ folder: String) async throws -> Value) async throws -> Value {
    let folder = "\(root)/\(Self.name(of: job.id, job.claim))"
    try await run {
      try FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }
    do {
      let value = try await body(folder)
      try? await run { try? FileManager.default.removeItem(atPath: folder) }
      return value
    } catch {
      try? await run { try? FileManager.default.removeItem(atPath: folder) }
      throw error
    }
  }

  func makeFolder(_ name: String, in folder: String) async throws -> String {
    let path = "\(folder)/\(name)"
    try await run {
      try FileManager.default.createDirectory(
        atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }
    return path
  }

  /// Removes the folders of runs that have ended.
  func collect(in database: any Database) async throws {
    let names = try await run { [root] in (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? [] }
    for start in stride(from: 0, to: names.count, by: 500) {
      let some = Array(names[start..<min(start + 500, names.count)])
      let jobs = try await database.read { db in
        try db.all(
          "SELECT id, claim FROM jobs WHERE id IN \(list: some.map(Self.job(named:))) AND claim IS NOT NULL"
        ) { row in Self.name(of: try row["id"], try row["claim"]) }
      }
      for name in Set(some).subtracting(jobs) {
        try await run { [root] in try? FileManager.default.removeItem(atPath: "\(root)/\(name)") }
      }
    }
  }

  /// A path at which a tool can read a blob: the blob itself where it is a file, otherwise a copy in the folder.
  func path(of content: BlobContent, in folder: String) async throws -> String {
    switch content {
    case .file(let path, _): return path
    case .object(let blob):
      let path = "\(folder)/source"
      let file = try await run {
        try FileDescriptor.open(
          FilePath(path), .writeOnly, options: [.create, .truncate], permissions: .ownerReadWrite)
      }
      do {
        for try await chunk in blob.read(0..<blob.bytes) { try await run { _ = try file.writeAll(chunk) } }
      } catch {
        try? file.close()
        throw error
      }
      try file.close()
      return path
    }
  }

  /// Runs what waits for the disk, or computes for long, on a thread.
  func run<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await BlockingThreads.files.run(body)
  }

  // Ids of jobs contain colons, and neither they nor claims contain dots.
  private static func name(of job: String, _ claim: String) -> String { "\(job.replacing(":", with: ".")).\(claim)" }
  private static func job(named name: String) -> String {
    name.split(separator: ".").dropLast().joined(separator: ":")
  }
}
