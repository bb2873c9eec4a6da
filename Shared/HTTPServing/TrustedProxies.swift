import Contracts
package import HTTPTypes

/// The proxies in front of the edge, whose header fields about their clients are believed.
package struct TrustedProxies: Sendable {
  private let blocks: [NetworkBlock]

  package init(_ blocks: [NetworkBlock]) { self.blocks = blocks }

  package func contains(_ address: String?) -> Bool {
    guard !blocks.isEmpty, let address = address.flatMap({ NetworkAddress($0) }) else { return false }
    return contains(address)
  }

  private func contains(_ address: NetworkAddress) -> Bool { blocks.contains { $0.contains(address) } }

  /// The address of the client behind the proxies: of what each proxy has appended to `X-Forwarded-For`, the last entry
  /// that is not a trusted proxy. What a client sends in the field itself precedes it.
  ///
  /// - Parameter remoteAddress: The peer of the connection.
  package func client(of headers: HTTPFields, from remoteAddress: String?) -> String? {
    guard contains(remoteAddress) else { return remoteAddress }
    var client = remoteAddress
    let entries = headers[values: .forwardedFor].flatMap { $0.split(separator: ",") }
    for entry in entries.reversed() {
      guard let address = NetworkAddress(entry.trimmingPrefix { $0 == " " || $0 == "\t" }.trimmingEnd) else { break }
      client = address.description
      guard contains(address) else { break }
    }
    return client
  }

  /// Whether the client has sent its request by HTTPS, to this process or to the proxy in front of it.
  package func isSecure(_ headers: HTTPFields, scheme: String?, from remoteAddress: String?) -> Bool {
    if scheme == "https" { return true }
    guard contains(remoteAddress), let field = headers[values: .forwardedProto].last else { return false }
    return field.split(separator: ",").last?.trimmingPrefix { $0 == " " }.trimmingEnd.lowercased() == "https"
  }
}

extension Substring {
  var trimmingEnd: Substring {
    var text = self
    while let last = text.last, last == " " || last == "\t" { text.removeLast() }
    return text
  }
}
