import Foundation

/// Reserves a port for a server that cannot report the one it has chosen, or that must come back on the same one.
///
/// A connection of the port is left in `TIME_WAIT`: for a minute, the system assigns the port to no one else, and a
/// server with `SO_REUSEADDR` can listen on it.
public func reservedPort() throws -> Int {
  let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
  let client = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
  defer {
    close(client)
    close(listener)
  }
  var isOn: Int32 = 1
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &isOn, socklen_t(MemoryLayout<Int32>.size))
  var address = sockaddr_in()
  address.sin_family = sa_family_t(AF_INET)
  address.sin_addr.s_addr = inet_addr("127.0.0.1")
  var length = socklen_t(MemoryLayout<sockaddr_in>.size)
  let isConnected = withUnsafeMutablePointer(to: &address) { pointer in
    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      bind(listener, $0, length) == 0 && listen(listener, 1) == 0 && getsockname(listener, $0, &length) == 0
        && connect(client, $0, length) == 0
    }
  }
  let accepted = isConnected ? accept(listener, nil, nil) : -1
  guard accepted >= 0 else { throw TestKitError("no free port") }
  // The side that closes first keeps the state.
  close(accepted)
  return Int(UInt16(bigEndian: address.sin_port))
}
