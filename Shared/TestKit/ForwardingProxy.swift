import Foundation
import Synchronization

/// Forwards HTTP requests to a server, each on a connection of its own. A test may step in at one of them: before it is
/// forwarded, or after the server has answered.
public final class ForwardingProxy: Sendable {
  public enum Moment: String, CaseIterable, Sendable {
    case before, after
  }

  /// A request that a test waits for.
  private struct Trap: Sendable {
    var moment: Moment
    var matches: @Sendable (_ method: String, _ path: String) -> Bool
    var act: @Sendable () -> Bool
  }

  private struct State {
    var upstream: String
    var trap: Trap?
  }

  private final class Core: Sendable {
    let state: Mutex<State>
    init(_ upstream: String) { state = Mutex(State(upstream: upstream)) }
  }

  private let core: Core
  private let server: ScriptedServer

  public var url: String { server.origin }

  /// - Parameter upstream: The server's URL; while it is empty, connections are closed.
  public init(to upstream: String = "") throws {
    let core = Core(upstream)
    self.core = core
    server = try ScriptedServer { Self.serve($0, core) }
  }

  deinit { server.stop() }

  public func forward(to upstream: String) { core.state.withLock { $0.upstream = upstream } }

  /// Steps in at the next request that matches, once.
  ///
  /// - Parameter act: Runs on the connection's own thread; returns whether the request, or its answer, is passed on.
  public func intercept(
    _ moment: Moment, where matches: @escaping @Sendable (_ method: String, _ path: String) -> Bool,
    _ act: @escaping @Sendable () -> Bool
  ) {
    core.state.withLock { $0.trap = Trap(moment: moment, matches: matches, act: act) }
  }

  /// No longer waits for a request.
  public func disarm() { core.state.withLock { $0.trap = nil } }

  // MARK: one request

  private struct Head {
    var method, path: String
    var length = 0
    var isChunked = false
    /// With `Connection: close` instead of what the client said of its connection.
    var text: String

    init?(_ head: String) {
      var lines = head.components(separatedBy: "\r\n").filter { !$0.isEmpty }
      let parts = lines.first?.split(separator: " ").map(String.init) ?? []
      guard parts.count == 3 else { return nil }
      (method, path) = (parts[0], parts[1])
      for line in lines.map({ $0.lowercased() }) {
        if line.hasPrefix("content-length:") {
          length = Int(line.dropFirst("content-length:".count).trimmingCharacters(in: .whitespaces)) ?? 0
        }
        if line.hasPrefix("transfer-encoding:") { isChunked = line.contains("chunked") }
      }
      lines.removeAll { $0.lowercased().hasPrefix("connection:") }
      text = (lines + ["Connection: close"]).joined(separator: "\r\n") + "\r\n\r\n"
    }
  }

  private static func serve(_ client: ScriptedServer.Connection, _ core: Core) {
    guard let head = Head(client.readHead()) else { return }
    // A chunked body of JSON ends with its first empty line.
    let body = head.isChunked ? Array(client.readHead().utf8) : client.readBody(head.length)
    guard head.isChunked || body.count == head.length else { return }
    let (upstream, trap) = core.state.withLock { state -> (String, Trap?) in
      guard let trap = state.trap, trap.matches(head.method, head.path) else { return (state.upstream, nil) }
      state.trap = nil
      return (state.upstream, trap)
    }
    if let trap, trap.moment == .before, !trap.act() { return }
    guard let server = Outgoing(to: upstream), server.write(Array(head.text.utf8) + body) else { return }
    guard let trap, trap.moment == .after else {
      while let part = server.read(), client.write(part) {}
      return
    }
    var answer: [UInt8] = []
    while let part = server.read() { answer += part }
    if trap.act() { client.write(answer) }
  }

  private final class Outgoing {
    private let descriptor: Int32

    init?(to url: String) {
      descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = UInt16(URLComponents(string: url)?.port ?? 0).bigEndian
      address.sin_addr.s_addr = inet_addr("127.0.0.1")
      let result = withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
      }
      guard result == 0 else { return nil }
    }

    deinit { close(descriptor) }

    func write(_ bytes: [UInt8]) -> Bool {
      var rest = bytes[...]
      while !rest.isEmpty {
        let count = rest.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        guard count > 0 else { return false }
        rest = rest.dropFirst(count)
      }
      return true
    }

    /// The bytes that have arrived; `nil` at the end.
    func read() -> [UInt8]? {
      var buffer = [UInt8](repeating: 0, count: 65_536)
      let count = recv(descriptor, &buffer, buffer.count, 0)
      return count > 0 ? Array(buffer[..<count]) : nil
    }
  }
}
