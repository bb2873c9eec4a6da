/// OpenAPI 3.1 documents of services, generated from their endpoints.
public enum OpenAPIDocument {
  /// The document of one service.
  ///
  /// - Parameter includesInternal: Whether to include endpoints that only services may call.
  /// - Throws: If a type cannot be decoded from the recorder.
  public static func make(_ api: any ServiceAPI.Type, includesInternal: Bool = false) throws -> JSONValue {
    let recorder = SchemaRecorder()
    var paths: [JSONValue.Member] = []
    for endpoint in api.endpoints where includesInternal || !endpoint.operation.access.isForServices {
      let method = JSONValue.Member(
        name: endpoint.operation.method.rawValue.lowercased(),
        value: try describe(endpoint, tag: api.name, with: recorder)
      )
      paths.add([method], to: endpoint.operation.path.description)
    }
    for route in api.rawRoutes {
      let operation = route.operation
      let method = JSONValue.Member(
        name: operation.method.rawValue.lowercased(), value: describe(route, tag: api.name)
      )
      paths.add([method], to: operation.path.description)
    }
    _ = try recorder.schema(of: Problem.self)
    let endpoints = Set(api.endpoints.map { SchemaRecorder.name(of: $0) })
    let schemas = recorder.components.filter { !endpoints.contains($0.key) }
    return document(
      tags: [["name": .string(api.name), "description": .string(api.summary)]], paths: paths,
      schemas: schemas.map { JSONValue.Member(name: $0.key, value: json(of: $0.value)) },
      problems: ProblemExamples.of(api, includesInternal: includesInternal)
    )
  }

  /// Joins the documents of several services. A schema that differs from another service's schema of the same name, and
  /// those that refer to it, get the name of their service as a prefix.
  public static func merged(_ documents: [(service: String, document: JSONValue)]) -> JSONValue {
    var (tags, paths): ([JSONValue], [JSONValue.Member]) = ([], [])
    var schemas: [String: JSONValue] = [:]
    var problems = ProblemExamples.general
    for (service, document) in documents {
      let own = document["components"]?["schemas"]?.members ?? []
      var renamed = Set(own.filter { schemas[$0.name] ?? $0.value != $0.value }.map(\.name))
      var count = 0
      while renamed.count > count {
        count = renamed.count
        for schema in own where schema.value.refers(to: renamed) { renamed.insert(schema.name) }
      }
      let names = Dictionary(renamed.map { ($0, "\(service).\($0)") }) { first, _ in first }
      tags += document["tags"]?.elements ?? []
      for path in document["paths"]?.members ?? [] {
        paths.add(path.value.renaming(names).members, to: path.name)
      }
      for schema in own { schemas[names[schema.name] ?? schema.name] = schema.value.renaming(names) }
      problems += document["components"]?["examples"]?.members ?? []
    }
    let distinct = Dictionary(problems.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    return Self.document(
      tags: tags, paths: paths, schemas: schemas.map { JSONValue.Member(name: $0.key, value: $0.value) },
      problems: Array(distinct.values)
    )
  }

  /// The remark that applies to all operations.
  private static let remark =
    "In bodies of requests, null for a member that is not required means the same as its absence, unless the member's own "
    + "schema permits null, which then removes a value."

  private static func document(
    tags: [JSONValue], paths: [JSONValue.Member], schemas: [JSONValue.Member], problems: [JSONValue.Member]
  ) -> JSONValue {
    [
      "openapi": "3.1.0",
      "info": [
        "title": "Quintet", "version": "1", "description": .string(remark),
        "license": ["name": "Apache-2.0", "identifier": "Apache-2.0"],
      ],
      "servers": [["url": "/"]],
      "tags": .array(tags),
      "paths": .object(paths),
      "components": [
        "schemas": .object(schemas.sorted { $0.name < $1.name }),
        "examples": .object(problems.sorted { $0.name < $1.name }),
        "securitySchemes": ["bearer": ["type": "http", "scheme": "bearer", "bearerFormat": "JWT"]],
      ],
    ]
  }

  private static func describe<E: Endpoint>(_ endpoint: E.Type, tag: String, with recorder: SchemaRecorder) throws
    -> JSONValue
  {
    let operation = E.operation
    _ = try recorder.schema(of: E.self)
    let properties = recorder.components[SchemaRecorder.name(of: E.self)] ?? .init()
    let sendsProperties = operation.sendsProperties(among: properties.properties.map(\.name))
    var parameters: [JSONValue] = []
    var object = SchemaRecorder.ObjectSchema(alternatives: properties.alternatives)
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
        let location = inPath ? "path" : name == "ifMatch" ? "header" : "query"
        parameters.append(
          .object([
            ("name", .string(name == "ifMatch" ? "If-Match" : name)), ("in", .string(location)),
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
      let isRequired = operation.idempotency == .requiresKey
      parameters.append(parameter("Idempotency-Key", in: "header", .idempotencyKey, isRequired: isRequired))
    }
    if E.Response.self == StoredBytes.self {
      parameters += [parameter("Range", in: "header", .range), parameter("If-Range", in: "header", .string())]
    }
    parameters += operation.variesBy.map { parameter($0, in: "header", .string()) }
    return .object([
      ("operationId", .string(SchemaRecorder.name(of: E.self))),
      ("summary", .string(operation.summary)),
      ("tags", .array([.string(tag)])),
      ("parameters", parameters.isEmpty ? nil : .array(parameters)),
      ("requestBody", body),
      ("responses", try responses(of: E.self, with: recorder)),
      ("security", security(of: operation)),
    ])
  }

  private static func describe(_ route: RawRoute, tag: String) -> JSONValue {
    let operation = route.operation
    let parameters =
      operation.path.parameters.map { parameter($0, in: "path", .string(), isRequired: true) }
      + route.headers.map { parameter($0.name, in: "header", $0.schema, isRequired: $0.isRequired) }
      + route.query.map { parameter($0, in: "query", .string()) }
    let success = RawRoute.Answer(operation.success, "Success", mediaType: route.mediaType)
    var responses = ([success] + route.answers).map { answer -> (String, JSONValue?) in
      let content = answer.mediaType.map { JSONValue.object([JSONValue.Member(name: $0, value: [:])]) }
      return (
        String(answer.status), .object([("description", .string(answer.description)), ("content", content)])
      )
    }
    let body = route.bodyType.map { type -> JSONValue in
      ["content": .object([JSONValue.Member(name: type, value: [:])])]
    }
    responses += problems(operation.problems)
    responses.append(("default", problem("Any other problem")))
    return .object([
      ("operationId", .string("\(tag) \(operation.method.rawValue) \(operation.path)")),
      ("summary", .string(operation.summary)),
      ("tags", .array([.string(tag)])),
      ("parameters", parameters.isEmpty ? nil : .array(parameters)),
      ("requestBody", body),
      ("responses", .object(responses)),
      ("security", security(of: operation)),
    ])
  }

  private static func parameter(
    _ name: String, in location: String, _ schema: JSONSchema, isRequired: Bool = false
  ) -> JSONValue {
    ["name": .string(name), "in": .string(location), "required": .bool(isRequired), "schema": schema.json]
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
          ("*/*", accepts.isDisjoint(with: [.raw, .file]) ? nil : [:]),
        ])
      ),
    ])
  }

  /// OpenAPI 3.1 lets requirements of bearer tokens name what is asked for besides the token: here its scope.
  private static func security(of operation: Operation) -> JSONValue {
    let token: JSONValue = ["bearer": .array(operation.scope.map { [.string($0.rawValue)] } ?? [])]
    return switch operation.access {
    case .anyone: .array([])
    case .anyoneIdentified: [[:], token]
    default: [token]
    }
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
    } else if E.Response.self == StoredBytes.self {
      responses += [
        ("200", ["description": "The whole content", "content": ["*/*": [:]]]),
        ("206", ["description": "The parts that `Range` asks for (RFC 9110 §14)", "content": ["*/*": [:]]]),
      ]
    } else {
      let schema = try recorder.schema(of: E.Response.self)
      responses.append(
        (
          String(operation.success),
          ["description": "Success", "content": ["application/json": ["schema": schema.json]]]
        )
      )
    }
    if operation.method == .get, operation.success == 200 {
      responses.append(("304", ["description": "Not modified since the response with the `ETag` in `If-None-Match`"]))
    }
    responses += Self.problems(ProblemExamples.kinds(of: endpoint))
    responses.append(("default", problem("Any other problem")))
    return .object(responses)
  }

  /// The problems by their status.
  private static func problems(_ kinds: [Problem.Kind]) -> [(String, JSONValue?)] {
    Dictionary(grouping: kinds, by: \.status).sorted { $0.key < $1.key }.map { status, kinds in
      let codes = Set(kinds.map(\.code)).sorted()
      return (
        String(status), problem("Problem: \(codes.joined(separator: ", "))", ProblemExamples.references(to: codes))
      )
    }
  }

  private static func problem(_ description: String, _ examples: JSONValue? = nil) -> JSONValue {
    let schema = JSONSchema.reference(to: SchemaRecorder.name(of: Problem.self)).json
    return [
      "description": .string(description),
      "content": ["application/problem+json": .object([("schema", schema), ("examples", examples)])],
    ]
  }

  private static func json(of object: SchemaRecorder.ObjectSchema) -> JSONValue {
    let alternatives = object.alternatives.map { alternative -> JSONValue in
      let others = object.alternatives.joined().filter { !alternative.contains($0) }
      return [
        "required": .array(alternative.map { .string($0) }),
        "properties": .object(others.map { JSONValue.Member(name: $0, value: .bool(false)) }),
      ]
    }
    return .object([
      ("type", "object"),
      ("properties", .object(object.properties.map { ($0.name, Optional($0.schema.json)) })),
      ("required", object.required.isEmpty ? nil : .array(object.required.map { .string($0) })),
      ("oneOf", alternatives.isEmpty ? nil : .array(alternatives)),
    ])
  }
}

extension [JSONValue.Member] {
  /// Adds methods to a path.
  fileprivate mutating func add(_ methods: [JSONValue.Member], to path: String) {
    if let index = firstIndex(where: { $0.name == path }) {
      self[index].value = .object(self[index].value.members + methods)
    } else {
      append(.init(name: path, value: .object(methods)))
    }
  }
}

extension JSONValue {
  private static let components = "#/components/schemas/"

  /// Whether a schema refers to one of these components, directly.
  fileprivate func refers(to names: Set<String>) -> Bool {
    switch self {
    case .object(let members):
      members.contains { member in
        if member.name == "$ref", let reference = member.value.string, reference.hasPrefix(Self.components) {
          return names.contains(String(reference.dropFirst(Self.components.count)))
        }
        return member.value.refers(to: names)
      }
    case .array(let elements): elements.contains { $0.refers(to: names) }
    default: false
    }
  }

  /// The same with references to the new names of components.
  fileprivate func renaming(_ names: [String: String]) -> JSONValue {
    switch self {
    case .object(let members):
      .object(
        members.map { member in
          guard member.name == "$ref", let reference = member.value.string,
            let name = names[String(reference.dropFirst(Self.components.count))]
          else { return Member(name: member.name, value: member.value.renaming(names)) }
          return Member(name: "$ref", value: .string(Self.components + name))
        }
      )
    case .array(let elements): .array(elements.map { $0.renaming(names) })
    default: self
    }
  }
}

extension JSONSchema {
  /// A quoted string of 1 to 255 visible ASCII characters, or the same without quotes.
  fileprivate static let idempotencyKey: JSONSchema = {
    var schema = JSONSchema.string()
    let key = #"[!#-\[\]-~]{1,255}"#
    schema.pattern = "^(\"\(key)\"|\(key))$"
    schema.example = "8e03978e-40d5-43e8-bc93-6894a57f9324"
    return schema
  }()

  /// Ranges of bytes (RFC 9110 §14.2).
  fileprivate static let range: JSONSchema = {
    var schema = JSONSchema.string()
    let range = "([0-9]{1,18}-([0-9]{1,18})?|-[0-9]{1,18})"
    schema.pattern = "^bytes=\(range)(, ?\(range)){0,5}$"
    schema.example = "bytes=0-1023"
    return schema
  }()
}
