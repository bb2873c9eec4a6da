import Foundation
import ServiceKit
import Synchronization

/// The completed steps, a line for each with its result. A run that ended early is continued by the next one, a
/// complete one is not repeated, and a removal knows what there is to remove. It also has the passwords of the demo, so
/// only its owner can read it.
final class Journal: Sendable {
  let path: String
  private let results: Mutex<[String: String]>
  private let file: FileHandle

  /// Opens a journal, or begins a new one.
  ///
  /// - Parameter isReadOnly: For a look at it while another run goes on.
  init(path: String, isReadOnly: Bool = false) throws {
    self.path = path
    if !isReadOnly { try PrivateFiles.makeFolder(URL(fileURLWithPath: path).deletingLastPathComponent().path) }
    let descriptor = open(path, (isReadOnly ? O_RDONLY : O_RDWR | O_CREAT | O_APPEND) | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw DemoError("\(path) cannot be opened: \(String(cString: strerror(errno)))") }
    file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    // Two runs at once would do everything twice.
    guard isReadOnly || flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      throw DemoError("another run uses \(path)")
    }
    let bytes = try file.readToEnd() ?? Data()
    // The last line is incomplete when its writer was killed.
    let whole = bytes.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
    if !isReadOnly { try file.truncate(atOffset: UInt64(whole)) }
    var known: [String: String] = [:]
    for line in String(decoding: bytes[..<whole], as: UTF8.self).split(separator: "\n") {
      let parts = line.split(separator: "\t", maxSplits: 1, omittingEmptySubsequences: false).map { String($0) }
      if parts.count == 2 { known[parts[0]] = parts[1] }
    }
    results = Mutex(known)
  }

  subscript(step: String) -> String? { results.withLock { $0[step] } }

  /// The results of the steps whose names begin so, in the order of the names.
  func results(of prefix: String) -> [String] {
    results.withLock { all in all.filter { $0.key.hasPrefix(prefix) }.sorted { $0.key < $1.key }.map(\.value) }
  }

  func record(_ step: String, _ result: String) throws {
    try results.withLock { all in
      all[step] = result
      try file.write(contentsOf: Data("\(step)\t\(result)\n".utf8))
    }
  }

  /// Performs a step unless it has been done, and returns its result.
  ///
  /// - Parameter perform: Takes the step's idempotency key, with which a request that was sent by a killed run is
  ///   answered as it was then.
  @discardableResult
  func once(_ step: String, _ perform: (_ key: String) async throws -> String) async throws -> String {
    if let result = self[step] { return result }
    let result = try await perform("demo-\(self["world"] ?? "")-\(step)")
    try record(step, result)
    return result
  }

  /// Forgets everything, because nothing is left of it.
  func delete() throws { try FileManager.default.removeItem(atPath: path) }
}

/// The error that ends a run, as a sentence for whoever has started it.
struct DemoError: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}
