public import Contracts
public import CurlClient
import HTTPTypes

/// Sends calls over HTTP, as a remote client does.
public struct CurlTransport: Transport {
  private let client: CurlClient
  private let origin: String
  /// Whether repeatable requests are sent twice and their responses compared.
  private let sendsTwice: Bool

  public init(client: CurlClient, origin: String, sendsTwice: Bool = false) {
    self.client = client
    self.origin = origin
    self.sendsTwice = sendsTwice
  }

  public func send(_ request: WireRequest, headers: [(name: String, value: String)]) async throws(CallError)
    -> WireResponse
  {
    let first = try await once(request, headers)
    guard sendsTwice, request.isRepeatable else { return first }
    let second = try await once(request, headers)
    // Error bodies are not compared because each contains the trace of its request.
    guard first.status == second.status, first.status >= 400 || first.body == second.body else {
      throw .unknown("\(request.method.rawValue) \(request.target) returned a different response when it was repeated")
    }
    return second
  }

  private func once(_ request: WireRequest, _ headers: [(name: String, value: String)]) async throws(CallError)
    -> WireResponse
  {
    var fields = HTTPFields()
    for (name, value) in headers + request.headers {
      if let name = HTTPField.Name(name) { fields.append(HTTPField(name: name, value: value)) }
    }
    if request.body != nil { fields[.contentType] = "application/json" }
    guard let method = HTTPRequest.Method(request.method.rawValue) else { throw .notSent("unsupported method") }
    let call = ClientRequest(
      method,
      origin: origin,
      target: request.target,
      headers: fields,
      body: request.body.map { .bytes($0) } ?? .none
    )
    do {
      let response = try await client.send(call)
      return WireResponse(
        status: response.status,
        headers: response.headers.map { ($0.name.canonicalName, $0.value) },
        body: try await response.body.collect(upTo: 8 << 20)
      )
    } catch let error as ClientError {
      throw error.mayHaveRun ? .unknown(error.description) : .notSent(error.description)
    } catch {
      throw .unknown("\(error)")
    }
  }
}
