import Foundation

/// A TCP connection that sends and receives raw bytes, for requests that no HTTP client sends.
///
/// It waits on a thread of its own: a test that blocked one of Swift's few threads could starve the server it waits for.
public final class RawConnection: Sendable {
  private let descriptor: Int32

  /// - Parameters:
  ///   - url: `http://127.0.0.1:port`.
  ///   - isNarrow: Whether the two systems hold only about 120 kB of what this side does not read, as on a slow network,
  ///     instead of megabytes.
  public init(to url: String, isNarrow: Bool = false) throws {
    guard let port = url.split(separator: ":").last.flatMap({ UInt16($0) }) else {
      throw TestKitError("no port in \(url)")
    }
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    if isNarrow {
      var (window, segment): (Int32, Int32) = (4096, 536)
      let size = socklen_t(MemoryLayout<Int32>.size)
      setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &window, size)
      // The peer's system makes its buffer for so many segments.
      setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_MAXSEG, &segment, size)
    }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    let result = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard result == 0 else { throw TestKitError("cannot connect to \(url)") }
  }

  deinit { close(descriptor) }

  /// Sends a text that fits into the socket's buffer.
  public func send(_ text: String) {
    let bytes = Array(text.utf8)
    _ = Foundation.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
  }

  /// Ends what this side sends; the peer can still respond.
  public func closeOutput() { shutdown(descriptor, Int32(SHUT_WR)) }

  /// Sends until everything is written or the peer has reset the connection; returns whether everything was written.
  public func sendAll(_ text: String) async -> Bool { await sendAll(Array(text.utf8)) }

  /// The same with any bytes.
  public func sendAll(_ bytes: [UInt8]) async -> Bool {
    await onThread {
      var bytes = bytes[...]
      while !bytes.isEmpty {
        let count = bytes.withUnsafeBytes {
          Foundation.send(self.descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
        guard count > 0 else { return false }
        bytes = bytes.dropFirst(count)
      }
      return true
    }
  }

  /// Reads until the peer closes the connection or ``Waiting/limit`` is over; also returns whether the peer closed it.
  public func receiveAll() async -> (text: String, isClosed: Bool) {
    await onThread { self.readAll() }
  }

  private func onThread<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread { continuation.resume(returning: body()) }
    }
  }

  private func readAll() -> (text: String, isClosed: Bool) {
    var received: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    let end = Date().addingTimeInterval(Waiting.limit)
    while true {
      var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      let left = end.timeIntervalSinceNow
      guard left > 0, Foundation.poll(&poll, 1, Int32(left * 1000)) > 0 else { break }
      let count = recv(descriptor, &buffer, buffer.count, 0)
      if count <= 0 { return (String(decoding: received, as: UTF8.self), true) }
      received += buffer[..<count]
    }
    return (String(decoding: received, as: UTF8.self), false)
  }

  /// Reads until a text, the end of the stream or ``Waiting/limit``; returns everything received.
  public func receive(until text: String) async -> String {
    await onThread { self.read(until: text) }
  }

  private func read(until text: String) -> String {
    var received = ""
    let end = Date().addingTimeInterval(Waiting.limit)
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while !received.contains(text) {
      var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      let left = end.timeIntervalSinceNow
      guard left > 0, Foundation.poll(&poll, 1, Int32(left * 1000)) > 0 else { break }
      let count = recv(descriptor, &buffer, buffer.count, 0)
      guard count > 0 else { break }
      received += String(decoding: buffer[..<count], as: UTF8.self)
    }
    return received
  }
}
