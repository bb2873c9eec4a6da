import Contracts
import CurlClient
import HTTPServing
import HTTPTypes
import HummingbirdCore
import NIOCore

/// Sends calls to a service by its name: through its dispatcher when it is in this process, otherwise over HTTP.
struct UpstreamTransport: Transport {
  let name: String
  let upstreams: Upstreams

  func send(_ request: WireRequest, headers: [(name: String, value: String)]) async throws(CallError) -> WireResponse {
    var fields = HTTPFields()
    for (name, value) in headers + request.headers {
      if let name = HTTPField.Name(name) { fields.append(HTTPField(name: name, value: value)) }
    }
    if let trace = TraceContext.current { fields[.traceparent] = trace.traceparent }
    if request.body != nil, fields[.contentType] == nil { fields[.contentType] = "application/json" }
    switch upstreams.find(name) {
    case .local(let dispatcher): return try await send(request, fields, to: dispatcher)
    case .remote(let instances): return try await send(request, fields, to: instances)
    case nil: throw .notSent("\(name) is not known")
    }
  }

  private func send(_ request: WireRequest, _ fields: HTTPFields, to dispatcher: Dispatcher) async throws(CallError)
    -> WireResponse
  {
    guard let method = HTTPRequest.Method(request.method.rawValue) else { throw .notSent("the method is not valid") }
    let head = HTTPRequest(method: method, scheme: "http", authority: name, path: request.target, headerFields: fields)
    let body = RequestBody(buffer: ByteBuffer(bytes: request.body ?? []))
    let response = await dispatcher.respond(to: Request(head: head, body: body), remoteAddress: nil)
    let bytes: ByteBuffer
    do { bytes = try await response.body.collect() } catch { throw .unknown("the response ended early") }
    return WireResponse(
      status: response.status.code,
      headers: response.headers.map { ($0.name.canonicalName, $0.value) },
      body: Array(buffer: bytes)
    )
  }

  private func send(_ request: WireRequest, _ fields: HTTPFields, to instances: Instances) async throws(CallError)
    -> WireResponse
  {
    guard let method = HTTPRequest.Method(request.method.rawValue) else { throw .notSent("the method is not valid") }
    let call = ClientRequest(
      method,
      origin: "",
      target: request.target,
      headers: fields,
      body: request.body.map { .bytes($0) } ?? .none,
      timeouts: .init(firstByte: request.seconds, total: request.seconds),
      isRepeatable: request.isRepeatable
    )
    let response: ClientResponse
    do {
      response = try await upstreams.execute(call, on: instances)
    } catch {
      throw error.mayHaveRun ? .unknown(error.description) : .notSent(error.description)
    }
    guard case .bytes(let buffer) = response.body else { throw .unknown("the response is incomplete") }
    return WireResponse(
      status: response.status,
      headers: response.headers.map { ($0.name.canonicalName, $0.value) },
      body: Array(buffer.readableBytesView)
    )
  }
}
