import Contracts
import HTTPServing
import HTTPTypes
import Logging
import NIOCore
import ServiceKit
import Synchronization
import WebClient

/// The gateway's byte path: most requests, from accept to answer, on one event loop and without a task.
///
/// A connection begins here (``ByteConnection``). The head of each request is scanned once (``RequestHead``), while it is
/// copied without the fields that end at this connection. ``ByteRoutes`` finds the operation in the bytes of the path,
/// ``ByteEdge/admit(_:_:_:)`` reads the caller, and an ``Exchange`` sends the request over a connection of the same
/// loop's ``UpstreamPool``, scans the head of the answer in the same way (``ResponseHead``), writes it with the gateway's
/// own fields (``ResponseFields``) and passes the body on as it comes; whichever side is slow holds the other one back.
///
/// Files of the web client are answered at once, from memory.
///
/// What is not frequent is not done here. A head that is not in the plain form, a route of the gateway itself or of a
/// service in this process, a large or chunked body, `HEAD` and `OPTIONS`: the connection is handed over to the usual
/// handlers, with all bytes that no request has been made of, and stays there. So this path refuses nothing by rules of
/// its own, and only the standard pipeline decides what is valid. A token that has not been seen yet, and limits
/// that are shared with other gateways, are awaited by a task, as in ``Edge``; the request then goes on here.
///
/// Scanners, routes and framings are pure values. All other classes of this folder belong to one event loop and are not
/// `Sendable`, except this one, which holds what the loops share.
final class ByteEdge: Feature, ByteConnections {
  let edge: Edge
  private let web: WebInterceptor
  let downloads = Downloads()
  let fields: ResponseFields
  let logger: Logger
  private let trustedProxies: TrustedProxies
  private let routes = Mutex(ByteRoutes([]))
  private let loops = Mutex<[ObjectIdentifier: NIOLoopBound<ByteLoop>]>([:])

  init(_ edge: Edge, web: WebInterceptor, trustedProxies: TrustedProxies, logger: Logger) {
    (self.edge, self.web, self.trustedProxies, self.logger) = (edge, web, trustedProxies, logger)
    fields = ResponseFields(cors: edge.cors)
  }

  /// Replaces the operations that are served here.
  func replace(_ routes: [ByteRoutes.Route]) {
    let new = ByteRoutes(routes)
    self.routes.withLock { $0 = new }
  }

  func handler(for connection: ByteConnectionStart) -> any ChannelHandler {
    ByteConnection(connection, self, loop(connection.channel.eventLoop))
  }

  private func loop(_ eventLoop: any EventLoop) -> ByteLoop {
    loops.withLock { loops in
      if let known = loops[ObjectIdentifier(eventLoop)] { return known }
      let new = NIOLoopBound(ByteLoop(eventLoop), eventLoop: eventLoop)
      loops[ObjectIdentifier(eventLoop)] = new
      return new
    }.value
  }

  // MARK: requests

  /// The facts that a connection knows about its peer.
  struct Peer {
    var address: String?
    /// Whether it is a proxy that is believed what it says of its clients.
    var isTrusted: Bool
    /// Its network; that of its client is found for each request.
    var network: String?
    var isSecure: Bool

    init(_ channel: any Channel, scheme: String, _ edge: ByteEdge) {
      address = channel.remoteAddress?.ipAddress
      isTrusted = edge.trustedProxies.contains(address)
      network = address.map { ClientNetwork.of($0) }
      isSecure = scheme == "https"
    }
  }

  /// The answer with a file of the web client, if the request asks for one that the caller does not have.
  ///
  /// - Parameter closes: Whether the connection ends with it.
  func file(
    _ found: RequestHead, _ bytes: UnsafeRawBufferPointer, _ peer: Peer, date: String, closes: Bool,
    _ allocator: ByteBufferAllocator
  ) -> (head: ByteBuffer, body: ByteBuffer)? {
    // Operations of services are not looked for among files.
    guard found.method == .get, found.length == 0, !FieldLine.hasPrefix(bytes, found.path, "/v1/") else { return nil }
    func text(_ range: Range<Int>) -> String {
      String(decoding: UnsafeRawBufferPointer(rebasing: bytes[range]), as: UTF8.self)
    }
    var isSecure = peer.isSecure
    if peer.isTrusted, let range = found.forwardedProto {
      isSecure = isSecure || trustedProxies.isSecure([.forwardedProto: text(range)], scheme: nil, from: peer.address)
    }
    let acceptsGzip = found.acceptEncoding.map { Self.acceptsGzip(bytes, $0) } ?? false
    guard
      let form = web.file(
        text(found.path), on: text(found.host), ifNoneMatch: found.ifNoneMatch.map { text($0) },
        acceptsGzip: acceptsGzip, isSecure: isSecure)
    else { return nil }
    var head = allocator.buffer(capacity: form.lines.readableBytes + 512)
    fields.head(of: form, isSecure: isSecure, date: date, closes: closes, to: &head)
    return (head, form.body)
  }

  /// Reads what is needed of a request, and completes the head that goes to the service.
  ///
  /// - Parameter head: Its lines, as far as they are kept.
  /// - Returns: `nil` when the standard pipeline has to serve it; nothing has been charged then.
  func admit(_ found: RequestHead, _ head: inout ByteBuffer, _ bytes: UnsafeRawBufferPointer, _ peer: Peer)
    -> ByteRequest?
  {
    guard found.isForData, let route = routes.withLock({ $0 }).find(found.method, bytes, found.path),
      found.length <= min(ByteRequest.maxBody, route.operation.bodyBytes)
    else { return nil }
    func text(_ range: Range<Int>) -> String {
      String(decoding: UnsafeRawBufferPointer(rebasing: bytes[range]), as: UTF8.self)
    }
    var (address, network, isSecure) = (peer.address, peer.network, peer.isSecure)
    if peer.isTrusted {
      var headers = HTTPFields()
      if let range = found.forwardedFor { headers[.forwardedFor] = text(range) }
      if let range = found.forwardedProto { headers[.forwardedProto] = text(range) }
      address = trustedProxies.client(of: headers, from: peer.address)
      network = address.map { ClientNetwork.of($0) }
      isSecure = isSecure || trustedProxies.isSecure(headers, scheme: nil, from: peer.address)
    }
    guard edge.plainHTTP == .allow || isSecure else { return nil }
    let kind = kind(of: found, route, bytes)
    // Limits that are shared or charged in several steps are charged by the task that also verifies tokens.
    let isAwaited = edge.limiter.isShared || kind.isOfAddress
    var token = isAwaited ? ByteRequest.Token.unknown(nil) : .none
    if let range = found.authorization {
      guard let characters = Self.bearerToken(bytes, range) else { return nil }
      let known = isAwaited ? nil : edge.tokens.known(UnsafeRawBufferPointer(rebasing: bytes[characters]))
      token = known.map { .known($0) } ?? .unknown(text(characters))
    } else if route.operation.needsToken {
      return nil
    }
    let trace = TraceContext()
    var request = ByteRequest(
      route: route, method: found.method, trace: trace, id: String(trace.traceID.prefix(16)))
    request.callersTrace = found.traceparent.flatMap { TraceContext(traceparent: text($0)) }
    request.kind = kind
    request.token = token
    request.length = found.length
    request.closes = found.closes
    (request.address, request.network, request.isSecure) = (address, network, isSecure)
    request.origin = edge.cors.origins.isEmpty ? nil : found.origin.map { text($0) }
    request.acceptsGzip = found.acceptEncoding.map { Self.acceptsGzip(bytes, $0) } ?? false
    let idempotency = route.operation.idempotency
    request.isRepeatable = idempotency.takesKey ? found.hasIdempotencyKey : idempotency.isRepeatable
    head.writeString("X-Request-ID: ")
    head.writeString(request.id)
    head.writeString("\r\ntraceparent: ")
    head.writeString(trace.traceparent)
    if let address {
      head.writeString("\r\nX-Forwarded-For: ")
      head.writeString(address)
    }
    head.writeString(isSecure ? "\r\nX-Forwarded-Proto: https" : "\r\nX-Forwarded-Proto: http")
    head.write("\r\nX-Forwarded-Host: ", bytes, found.host)
    head.writeString("\r\n")
    return request
  }

  private func kind(of head: RequestHead, _ route: ByteRoutes.Route, _ bytes: UnsafeRawBufferPointer) -> RequestClass {
    let isRead = head.method == .get
    // Only a name with a q in it, perhaps an encoded one, can be that of a search.
    let mayMatter = isRead ? head.hasQuery && bytes[head.target].contains { $0 == 0x71 || $0 == 0x25 } : true
    let path =
      mayMatter ? String(decoding: UnsafeRawBufferPointer(rebasing: bytes[head.target]), as: UTF8.self) : ""
    return RequestClass(head.method.http, path, cost: route.operation.cost)
  }

  /// The range of a bearer token; `nil` when the standard pipeline should look at the value.
  private static func bearerToken(_ bytes: UnsafeRawBufferPointer, _ value: Range<Int>) -> Range<Int>? {
    guard value.count <= 8192, FieldLine.hasPrefix(bytes, value, "bearer ") else { return nil }
    let token = value.lowerBound + 7..<value.upperBound
    return token.isEmpty || bytes[token].contains(FieldLine.space) ? nil : token
  }

  /// A value without weights is a list of names.
  private static func acceptsGzip(_ bytes: UnsafeRawBufferPointer, _ value: Range<Int>) -> Bool {
    let text = UnsafeRawBufferPointer(rebasing: bytes[value])
    if text.contains(where: { $0 == UInt8(ascii: ";") || $0 == UInt8(ascii: "*") }) {
      return Compression.accepts([String(decoding: text, as: UTF8.self)])
    }
    return text.split(separator: UInt8(ascii: ",")).contains { part in
      let name = part.drop { $0 == FieldLine.space }.prefix { $0 != FieldLine.space }
      return FieldLine.equal(text, name.startIndex..<name.endIndex, "gzip")
    }
  }
}

/// A request that has been read, without its body.
struct ByteRequest {
  enum Token {
    case none
    case known(UserCaller)
    /// A task finds out.
    case unknown(String?)
  }

  /// Larger bodies take the standard pipeline, which limits their number.
  static let maxBody = 64 * 1024

  let route: ByteRoutes.Route
  let method: RequestHead.Method
  let trace: TraceContext
  let id: String
  /// Noted with the request, which does not belong to it.
  var callersTrace: TraceContext?
  var kind = RequestClass.read
  var token = Token.none
  /// The length of the body.
  var length = 0
  /// Whether the caller wants the connection closed after the response.
  var closes = false
  /// The caller's address and network.
  var address: String?
  var network: String?
  var isSecure = false
  var origin: String?
  var acceptsGzip = false
  /// Whether it may be sent again when its outcome is unknown.
  var isRepeatable = false
}

extension RequestHead.Method {
  var http: HTTPRequest.Method {
    switch self {
    case .get: .get
    case .post: .post
    case .put: .put
    case .patch: .patch
    case .delete: .delete
    }
  }
}

extension ByteBuffer {
  mutating func write(_ name: StaticString, _ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) {
    writeStaticString(name)
    writeBytes(UnsafeRawBufferPointer(rebasing: bytes[range]))
  }
}
