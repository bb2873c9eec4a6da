import Contracts

/// Finds the first file of `multipart/form-data` (RFC 7578) while the body arrives, in memory that does not depend on
/// its size.
struct MultipartFile {
  private enum State {
    case preamble
    /// After a delimiter: the end, or the head of a part.
    case delimiter
    case head
    case content(isFile: Bool)
    case end
  }

  /// The name of the file.
  private(set) var name: String?
  private(set) var isComplete = false
  private let delimiter: [UInt8]
  private var state = State.preamble
  private var hasFile = false
  private var waiting: [UInt8]

  private static let maxHeadBytes = 8192

  static let broken = Problem(
    .malformedRequest, errors: [.init(location: "body", message: "is not a well-formed form with a file")])

  /// - Returns: `nil` for other media types.
  /// - Throws: ``Problem`` for a form without a valid boundary.
  init?(contentType: String) throws {
    guard contentType.split(separator: ";").first?.lowercased() == "multipart/form-data" else { return nil }
    guard let boundary = MultipartForm.parameter("boundary", of: contentType), (1...70).contains(boundary.utf8.count)
    else { throw Self.broken }
    delimiter = Array("\r\n--\(boundary)".utf8)
    // Every part follows a delimiter at the start of a line.
    waiting = Array("\r\n".utf8)
  }

  /// - Returns: What belongs to the file.
  mutating func take(_ bytes: [UInt8]) throws -> [UInt8] {
    var content: [UInt8] = []
    waiting += bytes
    while try step(&content) {}
    return content
  }

  /// - Returns: Whether there may be more to do.
  private mutating func step(_ content: inout [UInt8]) throws -> Bool {
    switch state {
    case .preamble: return pass(false, &content)
    case .content(let isFile): return pass(isFile, &content)
    case .delimiter:
      guard waiting.count >= 2 else { return false }
      let isEnd = waiting.starts(with: "--".utf8)
      guard isEnd || waiting.starts(with: "\r\n".utf8) else { throw Self.broken }
      state = isEnd ? .end : .head
      return true
    case .head:
      guard let end = Self.find(Array("\r\n\r\n".utf8), in: waiting) else {
        guard waiting.count <= Self.maxHeadBytes else { throw Self.broken }
        return false
      }
      guard let head = String(validating: waiting[..<end], as: UTF8.self) else { throw Self.broken }
      waiting.removeFirst(end + 4)
      state = .content(isFile: try isFile(head))
      return true
    case .end:
      waiting = []
      isComplete = hasFile
      return false
    }
  }

  /// Passes on everything up to the next delimiter.
  private mutating func pass(_ isFile: Bool, _ content: inout [UInt8]) -> Bool {
    let offset = Self.find(delimiter, in: waiting)
    // The end may be the beginning of a delimiter.
    let count = offset ?? max(0, waiting.count - delimiter.count)
    if isFile { content += waiting[..<count] }
    waiting.removeFirst(offset == nil ? count : count + delimiter.count)
    if offset != nil { state = .delimiter }
    return offset != nil
  }

  private mutating func isFile(_ head: String) throws -> Bool {
    let disposition = head.split(separator: "\r\n").first { $0.lowercased().hasPrefix("content-disposition:") }
    guard let disposition else { throw Self.broken }
    guard !hasFile, let name = MultipartForm.parameter("filename", of: disposition) else { return false }
    (hasFile, self.name) = (true, name)
    return true
  }

  private static func find(_ pattern: [UInt8], in bytes: [UInt8]) -> Int? {
    bytes.withUnsafeBufferPointer { bytes in
      pattern.withUnsafeBufferPointer { pattern in
        var offset = 0
        while offset + pattern.count <= bytes.count {
          if bytes[offset] == pattern[0], pattern.indices.allSatisfy({ bytes[offset + $0] == pattern[$0] }) {
            return offset
          }
          offset += 1
        }
        return nil
      }
    }
  }
}
