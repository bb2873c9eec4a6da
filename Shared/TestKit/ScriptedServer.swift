import Foundation
import Synchronization

/// A TCP server that does to each connection what a script says: slow, cutting, chunked, endless.
public final class ScriptedServer: Sendable {
  /// One accepted connection, on a thread of its own.
  public struct Connection: Sendable {
    let descriptor: Int32

    /// The bytes of a request's head; empty when the caller has gone.
    public func readHead() -> String {
      var head: [UInt8] = []
      var byte: UInt8 = 0
      while recv(descriptor, &byte, 1, 0) == 1 {
        head.append(byte)
        if head.suffix(4) == [13, 10, 13, 10] { break }
      }
      return String(decoding: head, as: UTF8.self)
    }

    /// So many bytes of a body, or fewer when the caller goes.
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

    /// `false` when the caller no longer takes bytes.
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

    /// A whole answer with a length.
    public func answer(_ body: String, status: String = "200 OK", headers: String = "") {
      write("HTTP/1.1 \(status)\r\nContent-Length: \(body.utf8.count)\r\n\(headers)\r\n\(body)")
    }

    public func pause(_ seconds: Double) { Thread.sleep(forTimeInterval: seconds) }

    /// Waits until the caller closes.
    public func waitForClose() {
      var byte: UInt8 = 0
      while recv(descriptor, &byte, 1, 0) > 0 {}
    }
  }

  public let origin: String
  /// The listening socket until it is closed: its number may be another server's then.
  private let listener: Mutex<Int32?>
  private let counter = Atomic<Int>(0)

  /// How many connections have been accepted.
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
        Thread.detachNewThread {
          script(Connection(descriptor: accepted))
          shutdown(accepted, Int32(SHUT_RDWR))
          close(accepted)
        }
      }
    }
    thread.start()
  }

  /// Ends the listening. The thread that accepts closes the socket: closed here, its number could already be another
  /// server's when that thread asks again.
  public func stop() { listener.withLock { if let descriptor = $0 { _ = shutdown(descriptor, Int32(SHUT_RDWR)) } } }
}
