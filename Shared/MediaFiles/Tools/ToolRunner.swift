import Subprocess
import SystemPackage

/// Runs media tools as child processes that are confined: limits of time, memory and output, low priority, an
/// environment without the service's settings, no network, no processes of their own, and no files but those of their
/// folder and those that arguments name by absolute paths. They end with the service.
///
/// The arguments are passed as they are, without a shell. A path among them should be absolute or start with `./`, so
/// that no file name is taken for an option.
public struct ToolRunner: Sendable {
  private let programs: [MediaTool: FilePath]

  /// Finds the installed tools in the folders of a search path such as that of the environment variable `PATH`.
  public init(searchPath: String = "/usr/local/bin:/usr/bin:/bin") {
    let folders = searchPath.split(separator: ":").map { FilePath(String($0)) }
    programs = .init(
      uniqueKeysWithValues: MediaTool.allCases.compactMap { tool in
        folders.lazy.map { $0.appending(tool.rawValue) }.first(where: Self.isProgram).map { (tool, $0) }
      }
    )
  }

  /// The tools that are not installed; each run of one throws ``MediaFileError/toolMissing(_:)``.
  public var missing: [MediaTool] { MediaTool.allCases.filter { programs[$0] == nil } }

  /// Runs a tool and returns its standard output.
  ///
  /// - Parameter folder: Where it works and keeps temporary files; relative paths of arguments start there.
  /// - Throws: ``MediaFileError``; `CancellationError` when the task is canceled, after the program has ended.
  @discardableResult
  public func run(
    _ tool: MediaTool, _ arguments: [String], in folder: String, limits: ToolLimits = .init()
  ) async throws -> [UInt8] {
    let output = Output()
    try await run(tool, arguments, in: folder, limits: limits) { bytes in
      try await output.append(bytes, limit: limits.outputBytes)
    }
    return await output.bytes
  }

  /// Runs a tool and passes its standard output on, piece by piece; it is paused while a piece is consumed.
  ///
  /// - Throws: ``MediaFileError``; what `consume` throws, which ends the program; `CancellationError`.
  public func run(
    _ tool: MediaTool, _ arguments: [String], in folder: String, limits: ToolLimits = .init(),
    consume: @escaping @Sendable ([UInt8]) async throws -> Void
  ) async throws {
    guard let program = programs[tool] else { throw MediaFileError.toolMissing(tool) }
    let child = ToolProcess(program: program, arguments: arguments, folder: folder, limits: limits)
    do {
      let end = try await withThrowingTaskGroup(of: ToolProcess.End?.self) { group in
        group.addTask { try await child.run(consume) }
        group.addTask {
          try await Task.sleep(for: limits.time)
          return nil
        }
        // Leaving the group in either way cancels the other task and waits for it: for the killed program, too.
        defer { group.cancelAll() }
        return try await group.next() ?? nil
      }
      try Task.checkCancellation()
      guard let end else { throw MediaFileError.tooLarge }
      if let error = end.error(of: tool) { throw error }
    } catch is SubprocessError {
      try Task.checkCancellation()
      // The fault is the system's, such as when processes run out: it says nothing of the file.
      throw MediaFileError.killed(tool)
    }
  }

  private static func isProgram(_ path: FilePath) -> Bool {
    guard let file = try? FileDescriptor.open(path, .readOnly) else { return false }
    try? file.close()
    return true
  }

  private actor Output {
    var bytes: [UInt8] = []

    func append(_ more: [UInt8], limit: Int) throws {
      guard bytes.count + more.count <= limit else { throw MediaFileError.tooLarge }
      bytes += more
    }
  }
}
