import Foundation
import TestKit
import Testing

@testable import Persistence

/// Acknowledged writes survive a SIGKILL, and the database file stays intact.
struct CrashTests {
  @Test func acknowledgedWritesSurviveKill() async throws {
    try await TemporaryFolder.run { folder async throws in
      var acknowledged: Set<Int64> = []
      for round in 0..<3 {
        let output = Pipe()
        let file = "\(folder)/round\(round).sqlite"
        let writer = try Command([ServiceProcess.executable("CrashWriter").path, file], output: output)
        acknowledged = []
        var text = Data()
        while acknowledged.count < 400 {
          let data = await output.readMore()
          guard !data.isEmpty else { throw TestKitError("the writer ended: \(String(decoding: text, as: UTF8.self))") }
          text += data
          acknowledged = Set(Self.numbers(in: text))
        }
        writer.signal(SIGKILL)
        await writer.end()
        text += await output.readToEnd()
        acknowledged = Set(Self.numbers(in: text))
        let database = try SQLiteDatabase(path: file)
        let found = try await database.read { db in
          Set(try db.values("SELECT id FROM notes", as: Int64.self))
        }
        let check = try await database.read { db in
          try db.value("PRAGMA integrity_check", as: String.self)
        }
        await database.close()
        #expect(acknowledged.isSubset(of: found))
        #expect(check == "ok")
      }
    }
  }

  /// Complete lines only; the kill may have truncated the last one.
  private static func numbers(in data: Data) -> [Int64] {
    let text = String(decoding: data, as: UTF8.self)
    guard let end = text.lastIndex(of: "\n") else { return [] }
    return text[..<end].split(separator: "\n").compactMap { Int64($0) }
  }

  /// From the 40th sync on, every sync fails: the process must exit, and no acknowledged write may be missing.
  @Test func failedSyncEndsTheProcess() async throws {
    try await TemporaryFolder.run { folder async throws in
      let source = """
        #define _GNU_SOURCE
        #include <errno.h>
        #include <dlfcn.h>
        static int calls = 0;
        static int fail(void) { if (__sync_add_and_fetch(&calls, 1) >= 40) { errno = EIO; return -1; } return 0; }
        int fdatasync(int fd) { if (fail()) return -1; return ((int (*)(int))dlsym(RTLD_NEXT, "fdatasync"))(fd); }
        int fsync(int fd) { if (fail()) return -1; return ((int (*)(int))dlsym(RTLD_NEXT, "fsync"))(fd); }
        """
      try source.write(toFile: "\(folder)/fault.c", atomically: true, encoding: .utf8)
      try await Command.run(["gcc", "-shared", "-fPIC", "-o", "\(folder)/fault.so", "\(folder)/fault.c", "-ldl"])
      let output = Pipe()
      let writer = try Command(
        [ServiceProcess.executable("CrashWriter").path, "\(folder)/test.sqlite"],
        environment: ["LD_PRELOAD": "\(folder)/fault.so", "PATH": "/usr/bin:/bin"],
        output: output
      )
      let text = await output.readToEnd()
      #expect(await writer.end() == 74)
      let acknowledged = Set(Self.numbers(in: text))
      let database = try SQLiteDatabase(path: "\(folder)/test.sqlite")
      let found = try await database.read { db in Set(try db.values("SELECT id FROM notes", as: Int64.self))
      }
      await database.close()
      #expect(!acknowledged.isEmpty)
      #expect(acknowledged.isSubset(of: found))
    }
  }
}
