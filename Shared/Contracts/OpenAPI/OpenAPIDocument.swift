/// Generates the OpenAPI 3.1 document of one or more services from their endpoints.
public enum OpenAPIDocument {
  /// - Parameters:
  ///   - apis: The services, in the order of the document's tags.
  ///   - includesInternal: Whether to include endpoints that only services may call.
  /// - Throws: If a type cannot be decoded from the recorder.
  public static func make(
    _ apis: [any ServiceAPI.Type],
    title: String = "Quintet",
    version: String = "1",
    includesInternal: Bool = false
  ) throws -> JSONValue {
    let recorder = SchemaRecorder()
    var paths: [(name: String, methods: [(String, JSONValue?)])] = []
    for api in apis {
      for endpoint in api.endpoints where includesInternal || endpoint.operation.access != .service {
        let method = try describe(endpoint, tag: api.name, with: recorder)
        let path = endpoint.operation.path.description
        let entry = (endpoint.operation.method.rawValue.lowercased(), Optional(method))
        if let index = paths.firstIndex(where: { $0.name == path }) {
          paths[index].methods.append(entry)
        } else {
          paths.append((path, [entry]))
        }
      }
    }
    _ = try recorder.schema(of: Problem.self)
    let schemas = recorder.components.sorted { $0.key < $1.key }.filter { !endpointNames(apis).contains($0.key) }
    return .object([
      ("openapi", "3.1.0"),
      (
        "info",
        .object([
          ("title", .string(title)), ("version", .string(version)),
          ("license", ["name": "Apache-2.0", "identifier": "Apache-2.0"]),
        ])
      ),
      ("servers", [["url": "/"]]),
      ("tags", .array(apis.map { ["name": .string($0.name), "description": .string($0.summary)] })),
      ("paths", .object(paths.map { ($0.name, .object($0.methods)) })),
      (
        "components",
        .object([
          ("schemas", .object(schemas.map { ($0.key, json(of: $0.value)) })),
          ("securitySchemes", ["bearer": ["type": "http", "scheme": "bearer", "bearerFormat": "JWT"]]),
        ])
      ),
    ])
  }

  private static func endpointNames(_ apis: [any ServiceAPI.Type]) -> Set<String> {
    Set(apis.flatMap { $0.endpoints.map { SchemaRecorder.name(of: $0) } })
  }

  private static func describe<E: Endpoint>(_ endpoint: E.Type, tag: String, with recorder: SchemaRecorder) throws
    -> JSONValue
  {
    let operation = E.operation
    _ = try recorder.schema(of: E.self)
    let properties = recorder.components[SchemaRecorder.name(of: E.self)] ?? .init()
    let sendsProperties = operation.sendsProperties(among: properties.properties.map(\.name))
    var parameters: [JSONValue] = []
    var object = SchemaRecorder.ObjectSchema()
    var body: JSONValue?
    for (name, schema) in properties.properties {
      let required = properties.required.contains(name)
      let inPath = operation.path.parameters.contains(name)
      if name == "body" {
        body = requestBody(schema, required: required, operation)
      } else if sendsProperties, !operation.isOutsideBody(name) {
        object.properties.append((name, schema))
        if required { object.required.append(name) }
      } else {
        let place = inPath ? "path" : name == "ifMatch" ? "header" : "query"
        parameters.append(
          .object([
            ("name", .string(name == "ifMatch" ? "If-Match" : name)), ("in", .string(place)),
            ("required", .bool(required || inPath)), ("schema", schema.json),
          ])
        )
      }
    }
    if !object.properties.isEmpty {
      let schema = recorder.add(object, as: SchemaRecorder.name(of: E.self) + ".Body")
      body = requestBody(schema, required: true, operation)
    }
    if operation.idempotency.takesKey {
      parameters.append(
        .object([
          ("name", "Idempotency-Key"), ("in", "header"), ("required", .bool(operation.idempotency == .requiresKey)),
          ("schema", JSONSchema.string().json),
        ])
      )
    }
    return .object([
      ("operationId", .string(SchemaRecorder.name(of: E.self))),
      ("summary", .string(operation.summary)),
      ("tags", .array([.string(tag)])),
      ("parameters", parameters.isEmpty ? nil : .array(parameters)),
      ("requestBody", body),
      ("responses", try responses(of: E.self, with: recorder)),
      ("security", operation.access == .anyone ? .array([]) : [["bearer": security(operation.access)]]),
    ])
  }

  private static func requestBody(_ schema: JSONSchema, required: Bool, _ operation: Operation) -> JSONValue {
    let accepts = operation.accepts
    return .object([
      ("required", .bool(required)),
      (
        "content",
        .object([
          ("application/json", accepts.contains(.json) ? ["schema": schema.json] : nil),
          ("text/csv", accepts.contains(.text) ? ["schema": JSONSchema.string().json] : nil),
          ("application/x-www-form-urlencoded", accepts.contains(.form) ? ["schema": schema.json] : nil),
          ("*/*", accepts.contains(.raw) ? [:] : nil),
        ])
      ),
    ])
  }

  private static func security(_ access: Operation.Access) -> JSONValue {
    if case .scope(let scope) = access { .array([.string(scope)]) } else { .array([]) }
  }

  private static func responses<E: Endpoint>(of endpoint: E.Type, with recorder: SchemaRecorder) throws -> JSONValue {
    let operation = E.operation
    var responses: [(String, JSONValue?)] = []
    if E.Response.self == Empty.self {
      responses.append((String(operation.success), ["description": "No content"]))
    } else if E.Response.self == Content.self {
      responses.append(
        (String(operation.success), ["description": "Success; the response is not JSON.", "content": ["*/*": [:]]])
      )
    } else {
      let schema = try recorder.schema(of: E.Response.self)
      responses.append(
        (
          String(operation.success),
          ["description": "Success", "content": ["application/json": ["schema": schema.json]]]
        )
      )
    }
    for (status, kinds) in Dictionary(grouping: operation.problems, by: \.status).sorted(by: { $0.key < $1.key }) {
      let codes = kinds.map(\.code).sorted().joined(separator: ", ")
      responses.append((String(status), problem("Problem: \(codes)")))
    }
    responses.append(("default", problem("Any other problem")))
    return .object(responses)
  }

  private static func problem(_ description: String) -> JSONValue {
    let schema = JSONSchema.reference(to: SchemaRecorder.name(of: Problem.self)).json
    return [
      "description": .string(description), "content": ["application/problem+json": ["schema": schema]],
    ]
  }

  private static func json(of object: SchemaRecorder.ObjectSchema) -> JSONValue {
    .object([
      ("type", "object"),
      ("properties", .object(object.properties.map { ($0.name, Optional($0.schema.json)) })),
      ("required", object.required.isEmpty ? nil : .array(object.required.map { .string($0) })),
    ])
  }
}
