import Foundation

/// Reads a text file line by line, in memory for one line.
final class LineReader {
  struct LineTooLong: Error, CustomStringConvertible {
    var description: String { "a line is longer than \(LineReader.limit) bytes" }
  }

  private static let limit = 1 << 20

  private let file: FileHandle
  private var buffer: [UInt8] = []
  private var isAtEnd = false

  init(path: String) throws { file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path)) }

  deinit { try? file.close() }

  /// The next line without its end; `nil` at the end of the file.
  func next() throws -> String? {
    while true {
      if let end = buffer.firstIndex(of: UInt8(ascii: "\n")) {
        defer { buffer.removeSubrange(...end) }
        return String(decoding: buffer[..<end], as: UTF8.self)
      }
      if isAtEnd {
        defer { buffer = [] }
        return buffer.isEmpty ? nil : String(decoding: buffer, as: UTF8.self)
      }
      guard buffer.count < Self.limit else { throw LineTooLong() }
      let chunk = try file.read(upToCount: 65_536) ?? Data()
      if chunk.isEmpty { isAtEnd = true } else { buffer += chunk }
    }
  }
}
