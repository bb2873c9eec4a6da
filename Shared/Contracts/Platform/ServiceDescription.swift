/// The internal API that describes the public operations of a service to the gateway. The host implements it.
public enum DescriptionAPI {
  /// The service's description, unless the caller already knows that version of it.
  public struct Describe: Endpoint {
    public typealias Response = Answer
    public static let operation = Operation.get(
      "/internal/v1/description", "Describe the service", access: .services(GatewayAPI.self), limits: .init(seconds: 2)
    )
    /// The version that the caller knows.
    public var known: String?
    public init(known: String? = nil) { self.known = known }
  }

  public struct Answer: Codable, Sendable, Equatable {
    /// Changes with the description.
    public var version: String
    /// Absent when the caller knows this version.
    public var description: ServiceDescription?

    public init(version: String, description: ServiceDescription?) {
      (self.version, self.description) = (version, description)
    }
  }
}

/// The operations that a service serves to external callers.
public struct ServiceDescription: Codable, Sendable, Equatable {
  public var name: String
  public var operations: [PublicOperation]
  /// The types of its events.
  public var events: [String]
  /// The kinds of its topics.
  public var topics: [String]
  /// The kinds of objects whose links it answers for.
  public var previews: [String]
  /// Its OpenAPI document, without internal endpoints.
  public var openAPI: JSONValue

  public init(
    name: String, operations: [PublicOperation], events: [String], topics: [String] = [], previews: [String] = [],
    openAPI: JSONValue
  ) {
    (self.name, self.operations, self.events, self.topics) = (name, operations, events, topics)
    (self.previews, self.openAPI) = (previews, openAPI)
  }

  /// A description by an older version of a service has no topics or previews.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    name = try values.decode(String.self, forKey: .name)
    operations = try values.decode([PublicOperation].self, forKey: .operations)
    events = try values.decode([String].self, forKey: .events)
    topics = try values.decodeIfPresent([String].self, forKey: .topics) ?? []
    previews = try values.decodeIfPresent([String].self, forKey: .previews) ?? []
    openAPI = try values.decode(JSONValue.self, forKey: .openAPI)
  }

  /// The description of a service with this API.
  /// - Throws: If a type of the API cannot be described as a schema.
  public init(
    of api: any ServiceAPI.Type, events: [any Event.Type] = [], topics: [String] = [], previews: [String] = []
  ) throws {
    self.init(
      name: api.name,
      operations: api.operations.filter { !$0.access.isForServices }.map { PublicOperation($0) },
      events: events.map { $0.type }, topics: topics, previews: previews, openAPI: try OpenAPIDocument.make(api)
    )
  }
}

/// The properties of an operation that the gateway needs in order to forward its requests.
public struct PublicOperation: Codable, Sendable, Equatable {
  public var method: Operation.Method
  /// Parameters are in braces, such as `/v1/users/{id}`.
  public var path: String
  /// Whether callers need an access token. The service itself checks what the token allows.
  public var needsToken: Bool
  /// One of these roles is needed besides; none if it is empty.
  public var roles: [String]
  public var idempotency: Operation.Idempotency
  public var bodyBytes: Int
  public var seconds: Double
  public var cost: Operation.Cost

  public init(_ operation: Operation) {
    (method, path) = (operation.method, operation.path.description)
    (needsToken, idempotency) = (operation.access.needsToken, operation.idempotency)
    roles = if case .roles(let roles) = operation.access { roles.map(\.rawValue) } else { [] }
    (bodyBytes, seconds) = (operation.limits.bodyBytes, operation.limits.seconds)
    cost = operation.cost
  }

  /// A description by an older version of a service has no costs or roles; a newer one may have costs that are not known
  /// here.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    method = try values.decode(Operation.Method.self, forKey: .method)
    path = try values.decode(String.self, forKey: .path)
    needsToken = try values.decode(Bool.self, forKey: .needsToken)
    roles = try values.decodeIfPresent([String].self, forKey: .roles) ?? []
    idempotency = try values.decode(Operation.Idempotency.self, forKey: .idempotency)
    bodyBytes = try values.decode(Int.self, forKey: .bodyBytes)
    seconds = try values.decode(Double.self, forKey: .seconds)
    cost = (try values.decodeIfPresent(String.self, forKey: .cost)).flatMap { Operation.Cost(rawValue: $0) } ?? .usual
  }

  /// Whether a request could match both operations, so that two services cannot both have them.
  public func overlaps(_ other: PublicOperation) -> Bool {
    method == other.method && PathTemplate(path).overlaps(PathTemplate(other.path))
  }
}
