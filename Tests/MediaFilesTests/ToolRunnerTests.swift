import Foundation
import MediaFiles
import Synchronization
import TestKit
import Testing

/// A shell or Python stands in for a tool, to show what a tool cannot do. Each test has a folder of its own.
struct ToolRunnerTests {
  @Test func aToolThatIsNotInstalledIsNamed() async throws {
    try await withTool("bash") { runner, folder in
      #expect(runner.missing == MediaTool.allCases.filter { $0 != .vips })
      await #expect(throws: MediaFileError.toolMissing(.ffmpeg)) { try await runner.run(.ffmpeg, [], in: folder) }
    }
  }

  @Test func argumentsPassNoShellAndTheEnvironmentHoldsNoSecrets() async throws {
    try await withTool("python3") { runner, folder in
      let program = "import os, sys; print(sys.argv[1], os.getcwd(), *sorted(os.environ))"
      let text = try await runner.run(.vips, ["-c", program, "$(id); *"], in: folder)
      let names = "HOME LANG MALLOC_ARENA_MAX OMP_THREAD_LIMIT PATH TMPDIR VIPS_BLOCK_UNTRUSTED VIPS_CONCURRENCY"
      #expect(String(decoding: text, as: UTF8.self) == "$(id); * \(folder) \(names)\n")
    }
  }

  @Test func aHangingToolIsKilledInTime() async throws {
    try await withTool("bash") { runner, folder in
      // On a busy machine, the tool may be killed before it has begun.
      var seconds = 0.5
      var hasBegun: Bool { FileManager.default.contents(atPath: "\(folder)/pid")?.last == 10 }
      repeat {
        let (start, limit) = (ContinuousClock.now, seconds)
        await #expect(throws: MediaFileError.tooLarge) {
          try await runner.run(
            .vips, ["-c", "echo $$ > pid; trap '' TERM; exec sleep 3600 >&- 2>&-"], in: folder,
            limits: .init(time: .seconds(limit)))
        }
        #expect(ContinuousClock.now - start < .seconds(3000))
        seconds *= 4
      } while !hasBegun && seconds < Waiting.limit
      try expectNoProcess(in: folder)
    }
  }

  @Test func aCanceledTaskEndsItsTool() async throws {
    try await withTool("bash") { runner, folder in
      let run = Task { try await runner.run(.vips, ["-c", "echo $$ > pid; while :; do :; done"], in: folder) }
      try await eventually("the tool runs") { FileManager.default.contents(atPath: "\(folder)/pid")?.last == 10 }
      run.cancel()
      await #expect(throws: CancellationError.self) { try await run.value }
      try expectNoProcess(in: folder)
    }
  }

  @Test func memoryIsLimited() async throws {
    try await withTool("python3") { runner, folder in
      await #expect(throws: MediaFileError.tooLarge) {
        let program = "import sys\ntry: bytearray(1 << 30)\nexcept MemoryError: sys.exit('Out of memory')"
        try await runner.run(.vips, ["-c", program], in: folder, limits: .init(memory: 512 << 20))
      }
    }
  }

  @Test func processorTimeIsLimited() async throws {
    try await withTool("bash") { runner, folder in
      await #expect(throws: MediaFileError.tooLarge) {
        try await runner.run(.vips, ["-c", "while :; do :; done"], in: folder, limits: .init(processorSeconds: 1))
      }
    }
  }

  /// Kills a tool as the kernel does, which ends tools first when memory is short, whatever they do.
  @Test func aToolThatTheSystemKillsMaySucceedLater() async throws {
    try await withTool("python3") { runner, folder in
      await #expect(throws: MediaFileError.killed(.vips)) {
        let program = "import signal; signal.raise_signal(signal.SIGKILL)"
        try await runner.run(.vips, ["-c", program], in: folder)
      }
    }
  }

  @Test func filesAndOutputAreLimited() async throws {
    try await withTool("bash") { runner, folder in
      let limits = ToolLimits(fileBytes: 1 << 20, outputBytes: 1 << 20)
      await #expect(throws: MediaFileError.tooLarge) {
        try await runner.run(.vips, ["-c", "exec cat /dev/zero > file"], in: folder, limits: limits)
      }
      let size = try FileManager.default.attributesOfItem(atPath: "\(folder)/file")[.size] as? Int
      #expect(size == 1 << 20)
      await #expect(throws: MediaFileError.tooLarge) {
        try await runner.run(.vips, ["-c", "exec cat /dev/zero"], in: folder, limits: limits)
      }
    }
  }

  @Test(arguments: [
    "socket.socket()", "socket.socket(socket.AF_INET6)", "socket.socket(socket.AF_UNIX)",
    "socket.socket(socket.AF_NETLINK)", "socket.create_connection(('127.0.0.1', 9))", "os.fork()",
    "subprocess.run(['/bin/true'])", "os.kill(os.getppid(), 0)", "os.setsid()",
    "open('/etc/passwd')", "open(f'/proc/{os.getppid()}/environ')", "open('../outside', 'w')",
    "os.listdir('..')",
  ])
  func itReachesNeitherTheNetworkNorOtherProcessesNorOtherFiles(_ attempt: String) async throws {
    try await expectRefused(attempt)
  }

  /// - Parameter attempt: In Python.
  private func expectRefused(_ attempt: String) async throws {
    try await withTool("python3") { runner, folder in
      let program = """
        import os, socket, subprocess
        try: \(attempt); print("allowed")
        except PermissionError: print("refused")
        """
      let answer = try await runner.run(.vips, ["-c", program], in: folder)
      #expect(String(decoding: answer, as: UTF8.self) == "refused\n", "\(attempt)")
    }
  }

  /// Not in its own folder either, since Landlock does not distinguish folders for this.
  @Test(arguments: [
    "os.chmod('.', 0o700)", "os.fchmod(os.open('.', 0), 0o700)", "os.chmod('.', 0o700, dir_fd=os.open('.', 0))",
    "os.chown('.', -1, -1)", "os.lchown('.', -1, -1)", "os.fchown(os.open('.', 0), -1, -1)",
    "os.chown('.', -1, -1, dir_fd=os.open('.', 0))", "os.utime('.')", "os.utime(os.open('.', 0))",
    "os.setxattr('.', 'user.a', b'')", "os.setxattr(os.open('.', 0), 'user.a', b'')",
    "os.setxattr('.', 'user.a', b'', follow_symlinks=False)", "os.removexattr('.', 'user.a')",
    "os.removexattr(os.open('.', 0), 'user.a')", "os.removexattr('.', 'user.a', follow_symlinks=False)",
  ])
  func itChangesNothingOfFilesButTheirContent(_ attempt: String) async throws {
    try await expectRefused(attempt)
  }

  @Test func aFileThatAnArgumentNamesIsReadAndNotChanged() async throws {
    try await withTool("python3") { runner, folder in
      try await withFolder { other in
        let file = "\(other)/file"
        try Data("content".utf8).write(to: URL(fileURLWithPath: file))
        let program = """
          import sys
          print(open(sys.argv[1]).read())
          try: open(sys.argv[1], "a")
          except PermissionError: print("refused")
          """
        let answer = try await runner.run(.vips, ["-c", program, file], in: folder)
        #expect(String(decoding: answer, as: UTF8.self) == "content\nrefused\n")
      }
    }
  }

  /// It would be a signal with another name.
  @Test func itQueuesNoSignals() async throws {
    try await withTool("python3") { runner, folder in
      // rt_sigqueueinfo on x86-64 and arm64.
      let program = """
        import ctypes, os, platform
        call = 129 if platform.machine() == "x86_64" else 138
        libc = ctypes.CDLL(None, use_errno=True)
        information = (ctypes.c_int * 32)(0, 0, -1)
        print(libc.syscall(call, os.getppid(), 0, information), ctypes.get_errno())
        """
      let answer = try await runner.run(.vips, ["-c", program], in: folder)
      #expect(String(decoding: answer, as: UTF8.self) == "-1 1\n")
    }
  }

  @Test func threadsAreAllowed() async throws {
    try await withTool("python3") { runner, folder in
      let program = "import threading; t = threading.Thread(target=print, args=['run']); t.start(); t.join()"
      let output = try await runner.run(.vips, ["-c", program], in: folder)
      #expect(output == Array("run\n".utf8))
    }
  }

  @Test func itHasLowPriority() async throws {
    try await withTool("python3") { runner, folder in
      let nice = try await runner.run(.vips, ["-c", "import os; print(os.nice(0))"], in: folder)
      #expect(nice == Array("10\n".utf8))
    }
  }

  @Test func aFailureIsReportedWithoutPaths() async throws {
    try await withTool("bash") { runner, folder in
      await #expect(throws: MediaFileError.failed(.vips, "exited(3): … is broken")) {
        try await runner.run(.vips, ["-c", "echo \(folder)/Ann.jpg is broken >&2; exit 3"], in: folder)
      }
      await #expect(throws: MediaFileError.storageFull) {
        try await runner.run(.vips, ["-c", "echo write: No space left on device >&2; exit 1"], in: folder)
      }
    }
  }

  @Test func muchOnStandardErrorDoesNotStopIt() async throws {
    try await withTool("python3") { runner, folder in
      let program = "import sys; sys.stderr.write('x' * 10_000_000); print('done')"
      let output = try await runner.run(.vips, ["-c", program], in: folder)
      #expect(output == Array("done\n".utf8))
    }
  }

  @Test func outputIsStreamedInOrderWithBackPressure() async throws {
    try await withTool("python3") { runner, folder in
      let program = "import sys\nfor n in range(1 << 18): sys.stdout.buffer.write(n.to_bytes(4, 'big'))"
      let received = Mutex<[UInt8]>([])
      try await runner.run(.vips, ["-c", program], in: folder) { piece in
        #expect(piece.count <= 1 << 20)
        await Task.yield()
        received.withLock { $0 += piece }
      }
      let bytes = received.withLock { $0 }
      #expect(bytes.count == 1 << 20)
      #expect(Array(bytes.suffix(4)) == [0, 3, 0xFF, 0xFF])
    }
  }

  @Test func aConsumerThatThrowsEndsTheTool() async throws {
    try await withTool("bash") { runner, folder in
      await #expect(throws: MediaFileError.storageFull) {
        try await runner.run(.vips, ["-c", "echo $$ > pid; exec cat /dev/zero"], in: folder) { _ in
          throw MediaFileError.storageFull
        }
      }
      try expectNoProcess(in: folder)
    }
  }

  // MARK: helpers

  /// Runs a body with a runner whose `vips` is another program.
  private func withTool(_ program: String, _ body: (ToolRunner, String) async throws -> Void) async throws {
    try await withFolder { folder in
      try FileManager.default.createDirectory(atPath: "\(folder)/bin", withIntermediateDirectories: false)
      try FileManager.default.createSymbolicLink(
        atPath: "\(folder)/bin/vips", withDestinationPath: "/usr/bin/\(program)")
      try await body(ToolRunner(searchPath: "\(folder)/bin"), folder)
    }
  }

  /// The process that has written its number is gone.
  private func expectNoProcess(in folder: String) throws {
    let text = try String(contentsOfFile: "\(folder)/pid", encoding: .utf8).trimmingCharacters(
      in: .whitespacesAndNewlines)
    let pid = try #require(Int32(text))
    #expect(kill(pid, 0) == -1)
    #expect(errno == ESRCH)
  }
}

/// Runs a body with an empty folder, which is removed.
func withFolder<Value>(_ body: (String) async throws -> Value) async throws -> Value {
  let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
  try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(atPath: folder) }
  return try await body(folder)
}
