#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A file or folder that is removed when nothing refers to it any more; for content that is too large for memory.
public final class TemporaryFile: Sendable, Equatable {
  public let path: String
  /// The resource that is kept as long as the file, such as the right to have one.
  private let held: (any Sendable)?

  /// Takes over what is at the path, or will be.
  public init(path: String, holding held: (any Sendable)? = nil) { (self.path, self.held) = (path, held) }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// Whether both are the same file.
  public static func == (one: TemporaryFile, other: TemporaryFile) -> Bool { one.path == other.path }
}
