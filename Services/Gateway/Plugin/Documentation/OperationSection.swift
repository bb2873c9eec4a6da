import Contracts

/// An operation on the page of its service: what it needs, takes and answers, with an example of each. The attributes are
/// for the script, which adds the try-out.
struct OperationSection {
  let values: ExampleValues
  let publicURL: String

  func html(_ operation: Reference.Operation) -> HTML {
    let example = ExampleRequest(operation, values, publicURL: publicURL)
    return """
      <section class="operation" id="\(operation.anchor)" data-method="\(operation.method)" data-path="\(operation.path)">
      <h3><a href="#\(operation.anchor)">\(operation.summary)</a></h3>
      <p class="call">\(ReferencePage.method(operation.method)) <code>\(broken(operation.path))</code></p>
      <div class="columns"><div>
      \(needs(operation))
      \(parameters(operation))
      \(body(operation))
      \(answers(operation))
      </div><div class="examples">
      <h4>Example</h4>
      <pre class="request" tabindex="0"><code>\(example.curl)</code></pre>
      \(answerExample(operation))
      </div></div>
      </section>

      """
  }

  /// The path with places where lines may break.
  private func broken(_ path: String) -> HTML {
    "\(path.split(separator: "/").map { "/<wbr>\(String($0))" as HTML })"
  }

  private func needs(_ operation: Reference.Operation) -> HTML {
    "<ul class=\"needs\">\((rights(operation) + limits(operation)).map { "<li>\($0)</li>" as HTML })</ul>"
  }

  private func rights(_ operation: Reference.Operation) -> [HTML] {
    let security = operation.description["security"]?.elements ?? []
    guard let token = security.compactMap({ $0["bearer"] }).first else { return ["No token needed"] }
    let isOptional = security.contains(.object([JSONValue.Member]()))
    let scopes: [HTML] = token.elements.compactMap(\.string).map { " <a href=\"/docs#scopes\"><code>\($0)</code></a>" }
    var rights: [HTML] = [
      "Token \(isOptional ? "optional" : "required")\(scopes.isEmpty ? "" : ", scope" as HTML)\(scopes)"
    ]
    let roles = operation.policy?.roles ?? []
    if !roles.isEmpty { rights.append("Role \(roles.joined(separator: " or "))") }
    return rights
  }

  private func limits(_ operation: Reference.Operation) -> [HTML] {
    guard let policy = operation.policy else { return [] }
    var limits: [HTML] = []
    switch policy.idempotency {
    case .safe: limits.append("Reads only")
    case .idempotent: limits.append("May be repeated")
    case .acceptsKey: limits.append("May be repeated with an <code>Idempotency-Key</code>")
    case .requiresKey: limits.append("Requires an <code>Idempotency-Key</code>")
    case .once: limits.append("Not repeated automatically")
    }
    if operation.description["requestBody"] != nil { limits.append("Body up to \(size(policy.bodyBytes))") }
    limits.append("Answers within \(seconds(policy.seconds))")
    if policy.cost != .usual { limits.append("Has a rate limit of its own") }
    return limits
  }

  private func size(_ bytes: Int) -> String {
    switch bytes {
    case ..<1024: "\(bytes) bytes"
    case ..<1_048_576: "\(bytes / 1024) KiB"
    default: "\(bytes / 1_048_576) MiB"
    }
  }

  private func seconds(_ seconds: Double) -> String {
    seconds < 120 ? "\(Int(seconds.rounded(.up))) s" : "\(Int((seconds / 60).rounded(.up))) min"
  }

  private func parameters(_ operation: Reference.Operation) -> HTML {
    let rows: [HTML] = (operation.description["parameters"]?.elements ?? []).map { parameter in
      let (name, location) = (parameter["name"]?.string ?? "", parameter["in"]?.string ?? "")
      let (schema, isRequired) = (parameter["schema"] ?? .null, parameter["required"] == true)
      return """
        <div data-in="\(location)" data-name="\(name)" data-example="\(values.parameter(name, schema))"\
        \(isRequired ? " data-required" as HTML : "")>
        <dt><code>\(name)</code> <span class="note">\(location)\(isRequired ? ", required" : "")</span></dt>
        <dd>\(SchemaText.line(schema))</dd></div>

        """
    }
    return rows.isEmpty ? "" : "<h4>Parameters</h4><dl class=\"properties\">\(rows)</dl>"
  }

  private func body(_ operation: Reference.Operation) -> HTML {
    guard let body = operation.description["requestBody"], let content = body["content"]?.members, !content.isEmpty
    else { return "" }
    let types = content.map(\.name)
    let schema = content.lazy.compactMap { $0.value["schema"] }.first
    let properties: HTML? = schema.map { schema in
      if let name = SchemaText.reference(schema), let target = values.schemas[name] {
        PropertyList.html(of: target)
      } else {
        "<div>\(SchemaText.line(schema))</div>"
      }
    }
    let example = schema.map { types[0] == "application/json" ? values.body($0).indented() : "" } ?? ""
    return """
      <div data-body="\(types[0])" data-example="\(example)"><h4>Body</h4>
      <p class="note">\(types.map { $0 == "*/*" ? "bytes of any type" : $0 }.joined(separator: ", "))</p>
      \(properties)</div>
      """
  }

  private func answers(_ operation: Reference.Operation) -> HTML {
    let problems = operation.problems
    let rows: [HTML] = (operation.description["responses"]?.members ?? []).map { response in
      let codes = problems.first { $0.status == response.name }?.codes ?? []
      let links: [HTML] = codes.map { "<a class=\"problem\" href=\"/problems/\($0)\">\($0)</a> " }
      let content = response.value["content"]?.members.first
      let text: HTML
      if !codes.isEmpty {
        text = "\(links)"
      } else if response.name == "default" {
        text = "<a href=\"/problems#general\">Any other problem</a>"
      } else if let schema = content?.value["schema"] {
        text = "\(SchemaText.line(schema))"
      } else {
        let type = content?.name
        text =
          "\(prose: response.value["description"]?.string ?? "")\(type.map { $0 == "*/*" ? "" : " (\($0))" } ?? "")"
      }
      return "<div><dt><code>\(response.name)</code></dt><dd>\(text)</dd></div>\n"
    }
    return "<h4>Answers</h4><dl class=\"properties answers\">\(rows)</dl>"
  }

  private func answerExample(_ operation: Reference.Operation) -> HTML {
    let responses = operation.description["responses"]?.members ?? []
    guard let success = responses.first(where: { $0.name.hasPrefix("2") }),
      let schema = success.value["content"]?["application/json"]?["schema"]
    else { return "" }
    return """
      <p class="note">Answer \(success.name)</p>
      <pre class="answer" tabindex="0"><code>\(values.answer(schema).indented())</code></pre>
      """
  }
}
