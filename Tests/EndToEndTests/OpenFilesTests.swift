import Foundation
import ServiceKit
import TestKit
import Testing

/// The limit of open files, with real processes.
@Suite(.serialized)
struct OpenFilesTests {
  /// Opens connections at once, sends a request on each, and another one while all are open.
  private static let crowd = """
    import socket, sys
    host, port, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    request = b'GET /.well-known/openid-configuration HTTP/1.1\\r\\nHost: localhost\\r\\n\\r\\n'
    connections = [socket.create_connection((host, port), 300) for _ in range(count)]
    answers = 0
    for _ in range(2):
        for connection in connections: connection.sendall(request)
        for connection in connections:
            head = b''
            while b'\\r\\n\\r\\n' not in head:
                more = connection.recv(65536)
                if not more: sys.exit('closed after %d answers' % answers)
                head += more
            answers += head.startswith(b'HTTP/1.1 200 ')
            length = int([l for l in head.lower().split(b'\\r\\n') if l.startswith(b'content-length:')][0].split(b':')[1])
            rest = length - len(head.split(b'\\r\\n\\r\\n', 1)[1])
            while rest > 0:
                more = connection.recv(rest)
                if not more: sys.exit('closed after %d answers' % answers)
                rest -= len(more)
    print(answers)
    """

  @Test("a service that starts with a limit of 256 open files holds 400 connections")
  func theSoftLimitIsRaised() async throws {
    try await TemporaryFolder.run { folder async throws in
      let auth = try await ServiceProcess(
        "auth", settings: ["DATA": folder, "LOG_LEVEL": "debug"],
        wrapper: ["sh", "-c", #"ulimit -S -n 256; exec "$@""#, "sh"])
      try await attempt {
        let limits = try String(contentsOfFile: "/proc/\(auth.pid)/limits", encoding: .utf8)
        let line = try #require(limits.firstMatch(of: /Max open files +(\d+) +(\d+)/))
        let (soft, hard) = (try #require(Int(line.1)), try #require(Int(line.2)))
        #expect(soft == min(hard, 1_048_576))
        #expect(soft > 256)
        try await eventually("the limit is logged") { auth.text.contains(#""open files""#) }
        let entry = try #require(auth.text.split(separator: "\n").first { $0.contains(#""open files""#) })
        #expect(entry.contains("256"))
        #expect(entry.contains("\(soft)"))
        let url = try #require(URL(string: auth.url))
        let answers = try await Command.run([
          Python.path(), "-c", Self.crowd, try #require(url.host()), "\(try #require(url.port))", "400",
        ])
        #expect(answers.trimmingCharacters(in: .whitespacesAndNewlines) == "800")
      } finally: {
        await auth.terminate()
      }
    }
  }
}
