import Contracts

/// The content of the documentation's pages: the platform's OpenAPI document with the additions of the services'
/// descriptions.
struct Reference {
  struct Service {
    let name: String
    let summary: String
    /// The operations by their resources, both in the order of the description.
    var resources: [(title: String, operations: [Operation])] = []
    var operations: [Operation] { resources.flatMap(\.operations) }
  }

  struct Operation {
    let service: String
    let method: String
    let path: String
    let description: JSONValue
    /// `nil` for one whose service does not describe it to the gateway.
    let policy: PublicOperation?

    var summary: String { description["summary"]?.string ?? path }
    /// Unique on its page.
    var anchor: String { Reference.slug("\(method) \(path)") }
    var page: String { "/docs/\(service)#\(anchor)" }

    /// The codes of the problems that it may return besides the general ones.
    var problems: [(status: String, codes: [String])] {
      (description["responses"]?.members ?? []).compactMap { response in
        guard let examples = response.value["content"]?["application/problem+json"]?["examples"] else { return nil }
        return (response.name, examples.members.map(\.name))
      }
    }
  }

  struct Problem {
    let code: String
    let title: String
    let status: Int
    let meaning: String
    let remedy: String
    /// The example of a response's body.
    let example: JSONValue
    /// Every operation may return it.
    let isGeneral: Bool
  }

  let document: JSONValue
  private(set) var services: [Service] = []
  let schemas: [String: JSONValue]
  /// The problems by status and code.
  let problems: [Problem]

  init(_ descriptions: [ServiceDescription]) {
    document = OpenAPIDocument.merged(descriptions.map { ($0.name, $0.openAPI) })
    let components = document["components"]
    schemas = Dictionary(
      (components?["schemas"]?.members ?? []).map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
    let general = Set(Contracts.Problem.Kind.general.map(\.code))
    problems = (components?["examples"]?.members ?? [])
      .map { Problem($0, isGeneral: general.contains($0.name)) }
      .sorted { ($0.status, $0.code) < ($1.status, $1.code) }
    let policies = Dictionary(
      descriptions.flatMap(\.operations).map { ("\($0.method.rawValue) \($0.path)", $0) },
      uniquingKeysWith: { first, _ in first })
    services = (document["tags"]?.elements ?? []).map {
      Service(name: $0["name"]?.string ?? "", summary: $0["description"]?.string ?? "")
    }
    for path in document["paths"]?.members ?? [] {
      for method in path.value.members {
        let name = method.name.uppercased()
        guard let tag = method.value["tags"]?.elements.first?.string,
          let index = services.firstIndex(where: { $0.name == tag })
        else { continue }
        let operation = Operation(
          service: tag, method: name, path: path.name, description: method.value,
          policy: policies["\(name) \(path.name)"])
        services[index].add(operation)
      }
    }
  }

  /// The operations that name a problem.
  func operations(returning code: String) -> [Operation] {
    services.flatMap(\.operations).filter { $0.problems.contains { $0.codes.contains(code) } }
  }

  /// Lower-case letters, digits and hyphens.
  static func slug(_ text: String) -> String {
    text.lowercased().split { !$0.isASCII || !($0.isLetter || $0.isNumber) }.joined(separator: "-")
  }
}

extension Reference.Service {
  /// Operations of one resource stand together, also if others are between them.
  fileprivate mutating func add(_ operation: Reference.Operation) {
    let title = Self.resource(of: operation.path)
    if let index = resources.firstIndex(where: { $0.title == title }) {
      resources[index].operations.append(operation)
    } else {
      resources.append((title, [operation]))
    }
  }

  /// `Study sets` of `/v1/study-sets/{id}`.
  private static func resource(of path: String) -> String {
    let segments = path.split(separator: "/")
    guard segments.first == "v1", segments.count > 1 else { return "Platform" }
    if segments[1] == "admin" { return "Administration" }
    let words = segments[1].replacing("-", with: " ")
    return words.prefix(1).uppercased() + words.dropFirst()
  }
}

extension Reference.Problem {
  fileprivate init(_ example: JSONValue.Member, isGeneral: Bool) {
    let body = example.value["value"] ?? .null
    let paragraphs = (example.value["description"]?.string ?? "").split(separator: "\n\n", maxSplits: 1)
    let status = if case .integer(let status)? = body["status"] { Int(status) } else { 0 }
    self.init(
      code: example.name, title: example.value["summary"]?.string ?? example.name, status: status,
      meaning: paragraphs.first.map(String.init) ?? "", remedy: paragraphs.dropFirst().first.map(String.init) ?? "",
      example: body, isGeneral: isGeneral)
  }
}
