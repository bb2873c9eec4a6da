import Foundation
import Synchronization

/// Passes on what PostgreSQL's clients and a server say, and counts the server's answers, which the client waits for. A test
/// can hold them back, to see that something needs no further ones.
public final class PostgresProxy: Sendable {
  private struct State {
    var passed = 0
    var allowed = Int.max
  }

  private final class Answers: Sendable {
    private let state = Mutex(State())
    private let change = NSCondition()

    var passed: Int { state.withLock { $0.passed } }

    func allow(_ count: Int) {
      change.withLock {
        state.withLock { $0 = State(passed: 0, allowed: count) }
        change.broadcast()
      }
    }

    /// Blocks the calling thread until an answer may pass.
    func pass() {
      change.withLock {
        let end = Date().addingTimeInterval(Waiting.limit)
        while state.withLock({ $0.passed >= $0.allowed }), change.wait(until: end) {}
        state.withLock { $0.passed += 1 }
      }
    }
  }

  private let answers = Answers()
  private let server: ScriptedServer
  /// The URL of the server's database `postgres`, through the proxy.
  public let url: String

  /// How many answers have passed since ``allow(_:)``.
  public var passed: Int { answers.passed }

  /// Lets a number of answers pass, and holds back the others until the next call, at most for ``Waiting/limit``.
  public func allow(_ count: Int = .max) { answers.allow(count) }

  /// - Parameter url: The URL of a server on this machine.
  public init(to url: String) throws {
    guard var parts = URLComponents(string: url), let port = parts.port else { throw TestKitError("no port in \(url)") }
    server = try ScriptedServer { [answers] client in
      guard let upstream = Self.connect(to: port) else { return }
      let clientHasEnded = DispatchSemaphore(value: 0)
      Thread.detachNewThread {
        // The client's side; it ends when the client or the server does.
        while let bytes = client.readSome(), upstream.write(bytes) {}
        _ = shutdown(upstream.descriptor, Int32(SHUT_RDWR))
        clientHasEnded.signal()
      }
      // A message has a type, and a length that counts itself.
      while case let head = upstream.readBody(5), head.count == 5 {
        let length = head.dropFirst().reduce(0) { $0 << 8 | Int($1) }
        let body = upstream.readBody(length - 4)
        // ReadyForQuery
        if head[0] == UInt8(ascii: "Z") { answers.pass() }
        guard client.write(head + body) else { break }
      }
      for connection in [client, upstream] { _ = shutdown(connection.descriptor, Int32(SHUT_RDWR)) }
      // Once they are closed, the descriptors may be those of other sockets.
      clientHasEnded.wait()
      close(upstream.descriptor)
    }
    parts.port = URLComponents(string: server.origin)?.port
    let plain = "sslmode=disable&gssencmode=disable"
    parts.percentEncodedQuery = parts.percentEncodedQuery.map { "\($0)&\(plain)" } ?? plain
    self.url = parts.string ?? url
  }

  deinit {
    answers.allow(.max)
    server.stop()
  }

  private static func connect(to port: Int) -> ScriptedServer.Connection? {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(port).bigEndian
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    let result = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Foundation.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    return result == 0 ? ScriptedServer.Connection(descriptor: descriptor) : nil
  }
}

extension ScriptedServer.Connection {
  /// The bytes that have arrived; `nil` at the end.
  fileprivate func readSome() -> [UInt8]? {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    let count = recv(descriptor, &buffer, buffer.count, 0)
    return count > 0 ? Array(buffer[..<count]) : nil
  }
}
