import Foundation
import Synchronization

/// A TCP server that runs a script for each connection, such as slow, truncated, chunked or endless responses.
public final class ScriptedServer: Sendable {
  /// An accepted connection, handled on a separate thread.
  public struct Connection: Sendable {
    let descriptor: Int32

    /// Reads the head of a request; empty when the client has closed the connection.
    public func readHead() -> String {
      var head: [UInt8] = []
      var byte: UInt8 = 0
      while recv(descriptor, &byte, 1, 0) == 1 {
        head.append(byte)
        if head.suffix(4) == [13, 10, 13, 10] { break }
      }
      return String(decoding: head, as: UTF8.self)
    }

    /// Reads a number of body bytes, or fewer when the client closes the connection.
    @discardableResult
    public func readBody(_ count: Int) -> [UInt8] {
      var body: [UInt8] = []
      var buffer = [UInt8](repeating: 0, count: 65_536)
      while body.count < count {
        let got = recv(descriptor, &buffer, min(buffer.count, count - body.count), 0)
        guard got > 0 else { break }
        body += buffer[..<got]
      }
      return body
    }

    /// Sends text; `false` when the client has closed the connection.
    @discardableResult
    public func write(_ text: String) -> Bool { write(Array(text.utf8)) }

    @discardableResult
    public func write(_ bytes: [UInt8]) -> Bool {
      var rest = bytes[...]
      while !rest.isEmpty {
        let count = rest.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        guard count > 0 else { return false }
        rest = rest.dropFirst(count)
      }
      return true
    }

    /// Sends a complete response with `Content-Length`.
    ///
    /// - Parameter closes: Says `Connection: close`. A script that ends after the response must say so: otherwise the
    ///   client may reuse the connection at the moment it is closed.
    public func answer(_ body: String, status: String = "200 OK", headers: String = "", closes: Bool = false) {
      let headers = headers + (closes ? "Connection: close\r\n" : "")
      write("HTTP/1.1 \(status)\r\nContent-Length: \(body.utf8.count)\r\n\(headers)\r\n\(body)")
    }

    /// Waits until the client closes the connection.
    public func waitForClose() {
      var byte: UInt8 = 0
      while recv(descriptor, &byte, 1, 0) > 0 {}
    }
  }

  public let origin: String
  /// The listening socket; `nil` once it is closed, because its descriptor may then be reused.
  private let listener: Mutex<Int32?>
  /// The accepted sockets that are not closed yet.
  private let open = Mutex<Set<Int32>>([])
  private let counter = Atomic<Int>(0)

  /// The number of accepted connections.
  public var connections: Int { counter.load(ordering: .relaxed) }

  /// Listens on a free loopback port until `stop`.
  public init(_ script: @escaping @Sendable (Connection) -> Void) throws {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    listener = Mutex(descriptor)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isListening = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        bind(descriptor, address, length) == 0 && listen(descriptor, 1024) == 0
          && getsockname(descriptor, address, &length) == 0
      }
    }
    guard isListening else { throw TestKitError("cannot listen") }
    origin = "http://127.0.0.1:\(UInt16(bigEndian: address.sin_port))"
    let thread = Thread { [self] in
      while true {
        let accepted = accept(descriptor, nil, nil)
        if accepted < 0, errno == EINTR { continue }
        guard accepted >= 0 else {
          listener.withLock { $0 = nil }
          close(descriptor)
          return
        }
        counter.add(1, ordering: .relaxed)
        open.withLock { _ = $0.insert(accepted) }
        Thread.detachNewThread { [self] in
          script(Connection(descriptor: accepted))
          open.withLock {
            $0.remove(accepted)
            shutdown(accepted, Int32(SHUT_RDWR))
            close(accepted)
          }
        }
      }
    }
    thread.start()
  }

  /// Stops listening and ends all connections. The accepting thread closes the socket: if it were closed here, the descriptor could be reused by
  /// another server before that thread's next `accept`.
  public func stop() {
    listener.withLock { if let descriptor = $0 { _ = shutdown(descriptor, Int32(SHUT_RDWR)) } }
    open.withLock { for descriptor in $0 { _ = shutdown(descriptor, Int32(SHUT_RDWR)) } }
  }
}
