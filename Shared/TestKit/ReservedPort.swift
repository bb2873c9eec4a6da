import Foundation
import Synchronization

private let reserved = Mutex<Set<Int>>([])

/// Reserves a port for a server that cannot report the one it has chosen, or that must come back on the same one.
///
/// It is below those that systems assign by themselves (Linux from 32768, others from 49152), so that no connection or
/// server takes it while the server is away, and is returned only once.
public func reservedPort() throws -> Int {
  for _ in 0..<1000 {
    let port = Int.random(in: 10_000..<32_768)
    if isFree(port), reserved.withLock({ $0.insert(port).inserted }) { return port }
  }
  throw TestKitError("no free port")
}

private func isFree(_ port: Int) -> Bool {
  let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
  defer { close(descriptor) }
  var address = sockaddr_in()
  address.sin_family = sa_family_t(AF_INET)
  address.sin_port = UInt16(port).bigEndian
  return withUnsafePointer(to: &address) { pointer in
    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
    }
  }
}
