import Contracts
import Foundation
import Persistence

/// Durable writes: group commit with 64 writers, compared with one commit per write.
enum SQLiteBenchmark {
  static func run() async throws {
    let folder = FileManager.default.currentDirectoryPath + "/.build/benchmark-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    print("fdatasync-p50 \(Benchmarks.format(try syncTime(in: folder))) us")
    let database = try SQLiteDatabase(path: "\(folder)/bench.sqlite")
    try await database.write { tx in
      try tx.execute("CREATE TABLE notes (id TEXT PRIMARY KEY, author TEXT NOT NULL, text TEXT NOT NULL)")
      try tx.execute("CREATE INDEX notes_by_author ON notes (author)")
    }
    let ids = IDGenerator()
    let single = try await rate(writers: 1, seconds: 3, database, ids)
    let group = try await rate(writers: 64, seconds: 3, database, ids)
    print("one-commit-per-write \(Benchmarks.format(single)) per-second")
    print("group-commit-64-writers \(Benchmarks.format(group)) per-second")
    print("group-commit-gain \(Benchmarks.format(group / single)) times")
    await database.close()
  }

  private static func rate(writers: Int, seconds: Double, _ database: SQLiteDatabase, _ ids: IDGenerator) async throws
    -> Double
  {
    let end = Date().addingTimeInterval(seconds)
    let total = try await withThrowingTaskGroup(of: Int.self) { group in
      for writer in 0..<writers {
        group.addTask {
          var count = 0
          let text = String(repeating: "n", count: 160)
          while Date() < end {
            let id = ids.text()
            try await database.write { tx in
              try tx.execute("INSERT INTO notes (id, author, text) VALUES (\(id), \("author \(writer)"), \(text))")
            }
            count += 1
          }
          return count
        }
      }
      return try await group.reduce(0, +)
    }
    return Double(total) / seconds
  }

  /// Median time of appending 4 KiB and `fdatasync`, in microseconds.
  private static func syncTime(in folder: String) throws -> Double {
    let descriptor = open("\(folder)/sync", O_CREAT | O_WRONLY, 0o600)
    defer { close(descriptor) }
    let block = [UInt8](repeating: 7, count: 4096)
    let times = (0..<300).map { _ in
      _ = write(descriptor, block, block.count)
      let start = DispatchTime.now().uptimeNanoseconds
      fdatasync(descriptor)
      return Double(DispatchTime.now().uptimeNanoseconds - start) / 1000
    }
    return Benchmarks.percentile(times.sorted(), 0.5)
  }
}
