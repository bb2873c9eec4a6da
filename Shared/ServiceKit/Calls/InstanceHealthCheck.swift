import CurlClient
import Foundation
import Logging

/// Checks the instances of every remote service: resolves their host names and asks each instance whether it is ready.
struct InstanceHealthCheck {
  /// How often instances are asked, in seconds; those that shut down stay reachable for longer.
  static let interval = 2.0

  let upstreams: Upstreams
  let logger: Logger
  /// The timeouts of a question; together with ``interval`` shorter than the usual notice of a shutdown.
  var timeouts = ClientRequest.Timeouts(connect: 1, firstByte: 2, total: 2)

  /// All services at the same time: an instance that does not respond must not delay the check of another one.
  func checkAll() async {
    await withTaskGroup(of: Void.self) { group in
      for (name, instances) in upstreams.elsewhere { group.addTask { await look(at: instances, of: name) } }
    }
  }

  private func look(at instances: Instances, of name: String) async {
    let found = await withTaskGroup(of: (Int, [Instances.Instance]).self) { group in
      for (index, origin) in instances.origins.enumerated() {
        group.addTask { (index, await Self.resolved(origin, of: instances)) }
      }
      return await group.reduce(into: []) { $0.append($1) }.sorted { $0.0 < $1.0 }.flatMap(\.1)
    }
    instances.replace(with: found)
    guard found.count > 1 else { return }
    await withTaskGroup(of: Void.self) { group in
      for instance in found {
        group.addTask {
          if instances.probed(instance, await readiness(of: instance)) {
            let location = instance.address ?? instance.origin
            logger.warning("an instance is not ready", metadata: ["service": "\(name)", "at": "\(location)"])
          }
        }
      }
    }
  }

  private static func resolved(_ origin: String, of instances: Instances) async -> [Instances.Instance] {
    switch await addresses(of: origin) {
    // When the resolver fails, the known addresses are kept.
    case nil: instances.all.filter { $0.origin == origin }
    // A single address needs no override: the HTTP client resolves the name to it.
    case let addresses? where addresses.count > 1: addresses.map { .init(origin: origin, address: $0) }
    default: [.init(origin: origin)]
    }
  }

  /// Not whether it is alive: a process that has lost its database, or is shutting down, answers fastest.
  private func readiness(of instance: Instances.Instance) async -> Instances.Readiness {
    var request = ClientRequest(
      origin: instance.origin,
      address: instance.address,
      target: "/readyz",
      timeouts: timeouts
    )
    request.attempts = 1
    switch (try? await upstreams.client.execute(request))?.status {
    case 200: return .ready
    case nil: return .silent
    default: return .notReady
    }
  }

  /// Resolves an origin's host name to addresses with ports, of one address family only: a machine with both would
  /// count twice. Runs on a separate thread, because the resolver blocks; `nil` when it fails.
  private static func addresses(of origin: String) async -> [String]? {
    guard let parts = URLComponents(string: origin), let host = parts.host else { return nil }
    let port = parts.port ?? (parts.scheme == "https" ? 443 : 80)
    return await withCheckedContinuation { continuation in
      DispatchQueue.global().async { continuation.resume(returning: resolve(host)?.map { "\($0):\(port)" }) }
    }
  }

  private static func resolve(_ host: String) -> [String]? {
    var hints = addrinfo()
    hints.ai_flags = AI_ADDRCONFIG
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var list: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(host, nil, &hints, &list) == 0 else { return nil }
    defer { freeaddrinfo(list) }
    var families: [Int32: Set<String>] = [:]
    var entry = list
    while let current = entry {
      var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
      let info = current.pointee
      if getnameinfo(info.ai_addr, info.ai_addrlen, &text, UInt32(text.count), nil, 0, NI_NUMERICHOST) == 0 {
        let address = String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        families[info.ai_family, default: []].insert(info.ai_family == AF_INET6 ? "[\(address)]" : address)
      }
      entry = info.ai_next
    }
    return (families[AF_INET] ?? families[AF_INET6])?.sorted()
  }
}
