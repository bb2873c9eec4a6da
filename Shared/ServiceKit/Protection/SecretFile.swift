import Foundation

/// A file of secrets that a process creates when it is missing.
public enum SecretFile {
  /// Returns the file's text; creates the file when it is missing. A new file is flushed to disk before it is used, and
  /// all processes that start at once read the same one.
  public static func load(_ path: String, orMake make: () -> String) throws -> String {
    if let text = try? String(contentsOfFile: path, encoding: .utf8) { return text }
    let folder = (path as NSString).deletingLastPathComponent
    try PrivateFiles.makeFolder(folder)
    let draft = try writeDraft(make(), beside: path)
    defer { unlink(draft) }
    // Unlike a rename, a link never replaces a file that another process has created in the meantime.
    guard link(draft, path) == 0 || errno == EEXIST else { throw CannotWrite(path: path) }
    try synchronize(folder)
    return try String(contentsOfFile: path, encoding: .utf8)
  }

  /// Replaces the file atomically: a crash leaves either the old or the new content.
  public static func replace(_ path: String, with text: String) throws {
    let draft = try writeDraft(text, beside: path)
    guard rename(draft, path) == 0 else { throw CannotWrite(path: path) }
    try synchronize((path as NSString).deletingLastPathComponent)
  }

  /// The file cannot be written.
  public struct CannotWrite: Error, CustomStringConvertible {
    let path: String
    public var description: String { "\(path) cannot be written" }
  }

  private static func writeDraft(_ text: String, beside path: String) throws -> String {
    let draft = "\(path).\(UUID().uuidString)"
    let file = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw CannotWrite(path: path) }
    defer { close(file) }
    let bytes = Array(text.utf8)
    guard write(file, bytes, bytes.count) == bytes.count, fsync(file) == 0 else {
      unlink(draft)
      throw CannotWrite(path: path)
    }
    return draft
  }

  private static func synchronize(_ folder: String) throws {
    let handle = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard handle >= 0 else { throw CannotWrite(path: folder) }
    defer { close(handle) }
    guard fsync(handle) == 0 else { throw CannotWrite(path: folder) }
  }
}
