public import Contracts

#if canImport(FoundationNetworking)
  import Foundation
  public import FoundationNetworking
#else
  public import Foundation
#endif

/// Sends requests with URLSession, on iOS and Linux.
public struct URLSessionTransport: Transport {
  private let origin: String
  private let session: URLSession

  /// - Parameter origin: Such as `https://api.example.com`.
  public init(origin: String, session: URLSession = URLSession(configuration: .ephemeral)) {
    (self.origin, self.session) = (origin, session)
  }

  public func send(_ request: WireRequest, headers: [(name: String, value: String)]) async throws(CallError)
    -> WireResponse
  {
    guard let url = URL(string: origin + request.target) else { throw .notSent("\(request.target) is not a URL") }
    var outgoing = URLRequest(url: url, timeoutInterval: request.seconds)
    outgoing.httpMethod = request.method.rawValue
    for (name, value) in headers + request.headers { outgoing.setValue(value, forHTTPHeaderField: name) }
    if let body = request.body {
      outgoing.httpBody = Data(body)
      outgoing.setValue("application/json", forHTTPHeaderField: "content-type")
    }
    let (data, response): (Data, URLResponse)
    do {
      (data, response) = try await session.data(for: outgoing)
    } catch {
      throw Self.failure(error)
    }
    guard let response = response as? HTTPURLResponse else { throw .unknown("not a response of HTTP") }
    let fields = response.allHeaderFields.compactMap { name, value -> (name: String, value: String)? in
      guard let name = name as? String else { return nil }
      return (name.lowercased(), "\(value)")
    }
    return WireResponse(status: response.statusCode, headers: fields, body: Array(data))
  }

  private static func failure(_ error: any Error) -> CallError {
    let notSent: [URLError.Code] = [
      .cannotConnectToHost, .cannotFindHost, .dnsLookupFailed, .notConnectedToInternet, .secureConnectionFailed,
    ]
    guard let error = error as? URLError else { return .unknown("\(error)") }
    return notSent.contains(error.code) ? .notSent("\(error)") : .unknown("\(error)")
  }
}
