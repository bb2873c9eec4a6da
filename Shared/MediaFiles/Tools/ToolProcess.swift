import Subprocess
import SystemPackage

/// One run of a program in the sandbox of CToolSandbox.
struct ToolProcess: Sendable {
  let program: FilePath
  let arguments: [String]
  let folder: String
  let limits: ToolLimits

  struct End: Sendable {
    let status: TerminationStatus
    /// The end of what it wrote to standard error.
    let errorOutput: String
  }

  func run(_ consume: @escaping @Sendable ([UInt8]) async throws -> Void) async throws -> End {
    var options = PlatformOptions()
    options.processGroupID = 0
    options.teardownSequence = [.send(signal: .kill, toProcessGroup: true, allowedDurationToNextStep: .zero)]
    let result = try await Subprocess.run(
      // This executable, which becomes the program before its `main`; the name of the argument is in ToolSandbox.h.
      .path("/proc/self/exe"),
      arguments: Arguments(
        [
          "--media-tool-sandbox", "\(limits.processorSeconds)", "\(limits.memory)", "\(limits.fileBytes)",
          program.string,
        ] + arguments
      ),
      environment: .custom(environment),
      workingDirectory: FilePath(folder),
      platformOptions: options,
      input: .none,
      output: .sequence,
      error: .sequence
    ) { execution in
      try await withThrowingTaskGroup(of: String?.self) { group in
        group.addTask {
          for try await piece in execution.standardOutput { try await consume(piece.withUnsafeBytes(Array.init)) }
          return nil
        }
        group.addTask {
          var tail: [UInt8] = []
          for try await piece in execution.standardError {
            tail = (tail + piece.withUnsafeBytes(Array.init)).suffix(4096)
          }
          return String(decoding: tail, as: UTF8.self)
        }
        return try await group.reduce(nil) { $0 ?? $1 } ?? ""
      }
    }
    return End(status: result.terminationStatus, errorOutput: result.closureResult)
  }

  private var environment: [Environment.Key: String] {
    [
      "PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8", "HOME": folder, "TMPDIR": folder,
      // Few threads and heaps: several tools run beside the service, and each heap reserves address space.
      "VIPS_CONCURRENCY": "2", "OMP_THREAD_LIMIT": "1", "MALLOC_ARENA_MAX": "2",
      // Not what libvips calls unsafe for files of strangers: SVG, PDF, ImageMagick and others.
      "VIPS_BLOCK_UNTRUSTED": "1",
    ]
  }
}

extension ToolProcess.End {
  /// The reason why the run failed; `nil` when it succeeded.
  func error(of tool: MediaTool) -> MediaFileError? {
    if status.isSuccess { return nil }
    let text = errorOutput.lowercased()
    func mentions(_ phrases: [String]) -> Bool { phrases.contains { text.contains($0) } }
    if mentions(["no space left on device", "disk quota exceeded"]) { return .storageFull }
    if mentions(["cannot allocate memory", "out of memory", "bad_alloc", "file too large"]) { return .tooLarge }
    switch status {
    case .exited(127) where text.hasPrefix("sandbox: "): return .toolMissing(tool)
    // Processor time and file size.
    case .signaled(24), .signaled(25): return .tooLarge
    case .signaled(9): return .killed(tool)
    default: return .failed(tool, "\(status): \(withoutPaths)")
    }
  }

  /// The end of the output, in one line. Paths name users' files and the machine's folders.
  private var withoutPaths: String {
    let words = errorOutput.split(whereSeparator: \.isWhitespace).map { $0.contains("/") ? "…" : String($0) }
    return String(words.joined(separator: " ").suffix(300))
  }
}
