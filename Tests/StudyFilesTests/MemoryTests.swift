import Foundation
import TestKit
import Testing

@testable import StudyFiles

/// Each test runs in a process of its own, whose peak memory is only its own.
struct MemoryTests {
  /// A line of `/proc/self/status`, in bytes.
  private static func memory(_ name: String) throws -> Int {
    let status = String(decoding: try load("/proc/self/status"), as: UTF8.self)
    let line = try #require(status.split(separator: "\n").first { $0.hasPrefix(name + ":") })
    return try #require(Int(line.filter(\.isNumber))) * 1024
  }

  /// How much the peak grows while a file of 50 MB is read.
  private static func growth(_ row: (Int) -> String, _ read: (String) throws -> Int) async throws -> Int {
    try await withFolder { folder in
      let path = folder + "/file"
      let file = try OutputFile(path)
      var bytes = 0
      var count = 0
      while bytes < 50_000_000 {
        let row = row(count)
        try file.write(row)
        bytes += row.utf8.count
        count += 1
      }
      try file.flush()
      let before = try memory("VmRSS")
      #expect(try read(path) == count)
      return try memory("VmHWM") - before
    }
  }

  private static func count(_ reader: some StudyFileReader) throws -> Int {
    var reader = reader
    var report = ImportReport()
    while let item = try reader.next() { report.record(item) }
    #expect(report.skippedCount == 0)
    return report.imported
  }

  @Test func aLargeTextIsReadInLittleMemory() async {
    await #expect(processExitsWith: .success) {
      let filler = String(repeating: "words of an answer ", count: 20)
      let growth = try await Self.growth({ "question \($0)\n\(filler)\n" }) { try Self.count(TextFileReader($0)) }
      #expect(growth < 64 << 20)
    }
  }

  @Test func aLargeTableIsReadInLittleMemory() async {
    await #expect(processExitsWith: .success) {
      let filler = String(repeating: "words, of an answer ", count: 20)
      let growth = try await Self.growth({ "question \($0),\"\(filler)\nnext \"\"line\"\"\",a;b\r\n" }) {
        try Self.count(CSVFileReader($0))
      }
      #expect(growth < 64 << 20)
    }
  }
}
