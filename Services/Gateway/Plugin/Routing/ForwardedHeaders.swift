import Contracts
import HTTPServing
import HTTPTypes
import ServiceKit

/// Selects the header fields that the gateway forwards.
enum ForwardedHeaders {
  /// Hop-by-hop fields (RFC 9110 §7.6.1), and fields that each connection sets itself.
  private static let hopByHop: Set<String> = [
    "connection", "keep-alive", "proxy-authenticate", "proxy-authorization", "proxy-connection", "te", "trailer",
    "transfer-encoding", "upgrade", "content-length", "expect", "host",
    // Cookies are for the gateway alone.
    "cookie",
  ]

  /// Fields that identify the caller and the request to services; only the gateway sets them.
  private static let identity: Set<String> = [
    "forwarded", "x-real-ip", "x-request-id", "x-service-authorization", "traceparent", "tracestate",
  ]

  /// Response fields that only the gateway sets.
  private static let policy: Set<String> = [
    "access-control-allow-credentials", "access-control-allow-headers", "access-control-allow-methods",
    "access-control-allow-origin", "access-control-expose-headers", "access-control-max-age", "clear-site-data",
    "date", "set-cookie", "strict-transport-security",
  ]

  private static func isIdentity(_ name: String) -> Bool {
    guard
      name.utf8.first == UInt8(ascii: "x") || name.utf8.first == UInt8(ascii: "f")
        || name.utf8.first == UInt8(ascii: "t")
    else { return false }
    return identity.contains(name) || name.hasPrefix("x-forwarded-") || name.hasPrefix("x-user-")
  }

  /// The request fields to forward to a service.
  static func request(_ fields: HTTPFields, scheme: String, authority: String?, _ context: RequestContext)
    -> HTTPFields
  {
    let named = connectionOptions(fields)
    var result = HTTPFields()
    result.reserveCapacity(fields.count + 5)
    for field in fields {
      let name = field.name.canonicalName
      if hopByHop.contains(name) || isIdentity(name) || named.contains(name) { continue }
      result.append(field)
    }
    result.append(HTTPField(name: .requestID, value: context.requestID))
    result.append(HTTPField(name: .traceparent, value: context.trace.traceparent))
    if let address = context.clientAddress { result.append(HTTPField(name: .forwardedFor, value: address)) }
    result.append(HTTPField(name: .forwardedProto, value: scheme))
    if let authority { result.append(HTTPField(name: .forwardedHost, value: authority)) }
    return result
  }

  /// The response fields to forward to the caller.
  static func response(_ fields: HTTPFields) -> HTTPFields {
    let named = connectionOptions(fields)
    var result = HTTPFields()
    result.reserveCapacity(fields.count + 1)
    for field in fields {
      let name = field.name.canonicalName
      if name != "content-length", hopByHop.contains(name) || named.contains(name) { continue }
      if policy.contains(name) { continue }
      result.append(field)
    }
    return result
  }

  /// Fields that the `Connection` header declares as hop-by-hop.
  private static func connectionOptions(_ fields: HTTPFields) -> Set<String> {
    guard fields.contains(.connection) else { return [] }
    return Set(
      fields[values: .connection].flatMap { $0.split(whereSeparator: { $0 == "," || $0 == " " }) }.map {
        $0.lowercased()
      }
    )
  }
}
