/// An endpoint of a service. A value of the type is one request.
///
/// A property named in the operation's path is sent in the path and one of type ``EntityTag`` in `If-Match`. The others are
/// query parameters of GET and DELETE; elsewhere, `body` is the body, or all of them are its members. The same type is
/// used by the server's routes, the typed client, the OpenAPI document and the contract tests.
public protocol Endpoint: Codable, Sendable {
  /// The body of a successful response; none by default.
  associatedtype Response: Codable & Sendable = Empty
  /// Method, path and policy.
  static var operation: Operation { get }
}

/// A named group of endpoints and events that one service implements.
public protocol ServiceAPI: Sendable {
  /// The service's name in settings, tokens, event sources and metrics, such as `auth`.
  static var name: String { get }
  /// One sentence for the OpenAPI document.
  static var summary: String { get }
  /// Every endpoint; a service that leaves one unimplemented does not start.
  static var endpoints: [any Endpoint.Type] { get }
  /// Every route that is not an endpoint; none by default.
  static var rawRoutes: [RawRoute] { get }
}

extension ServiceAPI {
  public static var rawRoutes: [RawRoute] { [] }

  /// Every operation, of endpoints and raw routes.
  public static var operations: [Operation] { endpoints.map { $0.operation } + rawRoutes.map(\.operation) }
}

/// The response of an endpoint that returns no content (204 No Content).
public struct Empty: Codable, Sendable, Equatable {
  /// Creates the empty response.
  public init() {}
}
