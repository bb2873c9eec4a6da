import CCurl
import Foundation

/// The sockets of a client's connections, to see whether a peer has closed the connection of a paused upload: libcurl
/// does not watch its socket then, and names it only after the transfer. Only the loop's thread accesses it.
final class OpenSockets {
  private var sockets: Set<curl_socket_t> = []

  /// Must be kept until the multi handle is freed, because connections outlive the transfers that opened them. libcurl
  /// closes the socket of a failed attempt by itself; its number stays here, and is of no consequence without its port.
  func watch(_ easy: UnsafeMutableRawPointer) {
    let me = Unmanaged.passUnretained(self).toOpaque()
    ccurl_set_socket_created(easy) { me, socket, _ in
      guard let me else { return CURL_SOCKOPT_ERROR }
      Unmanaged<OpenSockets>.fromOpaque(me).takeUnretainedValue().sockets.insert(socket)
      return CURL_SOCKOPT_OK
    }
    ccurl_set_pointer(easy, CURLOPT_SOCKOPTDATA, me)
    ccurl_set_socket_close(easy) { me, socket in
      if let me { Unmanaged<OpenSockets>.fromOpaque(me).takeUnretainedValue().sockets.remove(socket) }
      return close(socket)
    }
    ccurl_set_pointer(easy, CURLOPT_CLOSESOCKETDATA, me)
  }

  /// Whether the peers of connections with these local ports send nothing more.
  func closedByPeer(_ localPorts: Set<Int>) -> Set<Int> {
    var closed: Set<Int> = []
    for socket in sockets {
      guard let port = Self.localPort(of: socket), localPorts.contains(port) else { continue }
      var entry = pollfd(fd: socket, events: Int16(POLLIN) | Self.readHangUp, revents: 0)
      if poll(&entry, 1, 0) == 1, entry.revents & (Self.readHangUp | Int16(POLLHUP) | Int16(POLLERR)) != 0 {
        closed.insert(port)
      }
    }
    return closed
  }

  /// Linux's `POLLRDHUP`, which its C library declares only for its own extensions.
  private static let readHangUp: Int16 = 0x2000

  private static func localPort(of socket: curl_socket_t) -> Int? {
    var address = sockaddr_storage()
    var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
    return withUnsafeMutableBytes(of: &address) { bytes -> Int? in
      guard let base = bytes.baseAddress,
        getsockname(socket, base.assumingMemoryBound(to: sockaddr.self), &size) == 0
      else { return nil }
      // At the same place for IPv4 and IPv6.
      return Int(UInt16(bigEndian: bytes.loadUnaligned(fromByteOffset: 2, as: UInt16.self)))
    }
  }
}
