/// The problems of a document: an example for each, whose description explains it in two paragraphs, the meaning and the
/// remedy. Responses refer to them.
enum ProblemExamples {
  /// The examples for the operations of an API, beyond the general ones.
  static func of(_ api: any ServiceAPI.Type, includesInternal: Bool) -> [JSONValue.Member] {
    let endpoints = api.endpoints.filter { includesInternal || !$0.operation.access.isForServices }
    let all = endpoints.flatMap { kinds(of: $0) } + api.rawRoutes.flatMap(\.operation.problems)
    return Set(all).map(example)
  }

  /// The examples of problems that every operation may return.
  static var general: [JSONValue.Member] { Problem.Kind.general.map(example) }

  static func kinds<E: Endpoint>(of endpoint: E.Type) -> [Problem.Kind] {
    E.operation.problems + (E.Response.self == StoredBytes.self ? [.versionMismatch, .rangeNotSatisfiable] : [])
  }

  static func references(to codes: [String]) -> JSONValue {
    .object(codes.map { JSONValue.Member(name: $0, value: ["$ref": .string("#/components/examples/\($0)")]) })
  }

  private static func example(of kind: Problem.Kind) -> JSONValue.Member {
    JSONValue.Member(
      name: kind.code,
      value: [
        "summary": .string(kind.title), "description": .string("\(kind.meaning)\n\n\(kind.remedy)"),
        "value": [
          "type": .string(kind.type), "title": .string(kind.title), "status": .integer(Int64(kind.status)),
          "code": .string(kind.code),
        ],
      ])
  }
}
