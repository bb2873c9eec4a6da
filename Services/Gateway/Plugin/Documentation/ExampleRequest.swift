import Contracts

/// A command for a shell that calls an operation.
struct ExampleRequest {
  let curl: String

  init(_ operation: Reference.Operation, _ values: ExampleValues, publicURL: String) {
    let parameters = (operation.description["parameters"]?.elements ?? []).filter { $0["required"] == true }
    var (path, query, headers) = (operation.path, [String](), [String]())
    for parameter in parameters {
      let name = parameter["name"]?.string ?? ""
      let value = values.parameter(name, parameter["schema"] ?? .null)
      switch parameter["in"]?.string {
      case "path": path = path.replacing("{\(name)}", with: PercentCoding.encode(value))
      case "query": query.append("\(name)=\(PercentCoding.encode(value))")
      default: headers.append("\(name): \(value)")
      }
    }
    if !(operation.description["security"]?.elements ?? []).isEmpty { headers.append("Authorization: Bearer TOKEN") }
    let url = publicURL + path + (query.isEmpty ? "" : "?" + query.joined(separator: "&"))
    var parts = ["curl \(Self.quoted(url))"]
    parts += headers.map { "-H \(Self.quoted($0))" }
    if let content = operation.description["requestBody"]?["content"]?.members.first {
      if content.name == "application/json" {
        parts.append("--json \(Self.quoted(values.body(content.value["schema"] ?? .null).indented()))")
      } else {
        let type = content.name == "*/*" ? "application/octet-stream" : content.name
        parts += ["-H \(Self.quoted("Content-Type: \(type)"))", "--data-binary @file"]
      }
    }
    let usual = operation.description["requestBody"] == nil ? "GET" : "POST"
    if operation.method == "HEAD" {
      parts[0] += " --head"
    } else if operation.method != usual {
      parts[0] += " -X \(operation.method)"
    }
    curl = parts.joined(separator: " \\\n  ")
  }

  /// One word for a shell.
  private static func quoted(_ text: String) -> String {
    let isPlain = text.utf8.allSatisfy {
      (0x2B...0x3A).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0)
    }
    return isPlain ? text : "'\(text.replacing("'", with: "'\\''"))'"
  }
}
