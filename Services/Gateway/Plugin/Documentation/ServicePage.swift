import Contracts

/// `/docs/{service}`: the operations of a service by their resources, and the types that they exchange.
struct ServicePage {
  let reference: Reference
  let service: Reference.Service
  let publicURL: String

  var content: HTML {
    let section = OperationSection(values: ExampleValues(schemas: reference.schemas), publicURL: publicURL)
    let resources: [HTML] = service.resources.map { resource in
      """
      <h2 id="\(Reference.slug(resource.title))">\(resource.title)</h2>
      \(resource.operations.map { section.html($0) })
      """
    }
    return """
      <h1>\(service.name)</h1>
      <p class="lead">\(service.summary). \(service.operations.count) operations.</p>
      \(resources)
      <h2 id="types">Types</h2>
      \(types.map { type($0) })
      """
  }

  /// The types that the operations and other types refer to, by name.
  private var types: [String] {
    var (found, next) = (Set<String>(), service.operations.flatMap { SchemaText.references($0.description) })
    while let name = next.popLast() {
      guard found.insert(name).inserted, let schema = reference.schemas[name] else { continue }
      next += SchemaText.references(schema)
    }
    // Examples of problems are not types.
    return found.filter { reference.schemas[$0] != nil }.sorted()
  }

  private func type(_ name: String) -> HTML {
    """
    <section class="type" id="type-\(name)"><h3>\(name)</h3>
    \(PropertyList.html(of: reference.schemas[name] ?? .null))</section>

    """
  }
}

/// The properties of an object type.
enum PropertyList {
  static func html(of schema: JSONValue) -> HTML {
    let required = schema["required"]?.elements ?? []
    let alternatives = (schema["oneOf"]?.elements ?? []).map { alternative in
      (alternative["required"]?.elements ?? []).compactMap(\.string).joined(separator: " and ")
    }
    let rows: [HTML] = (schema["properties"]?.members ?? []).map {
      row($0.name, note: required.contains(.string($0.name)) ? "required" : "", $0.value)
    }
    let choice: HTML? =
      alternatives.isEmpty ? nil : "<p class=\"note\">Exactly one of: \(alternatives.joined(separator: "; ")).</p>"
    return rows.isEmpty
      ? "<p class=\"note\">An object without described properties.</p>"
      : "<dl class=\"properties\">\(rows)</dl>\(choice)"
  }

  static func row(_ name: String, note: String, _ schema: JSONValue) -> HTML {
    "<div><dt><code>\(name)</code> <span class=\"note\">\(note)</span></dt><dd>\(SchemaText.line(schema))</dd></div>\n"
  }
}
