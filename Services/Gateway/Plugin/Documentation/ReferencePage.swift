import Contracts

/// The common parts of the documentation's pages: their head, the navigation with all operations and problems, and the
/// policy for browsers. They work without scripts, which add the search and the try-outs.
struct ReferencePage {
  let reference: Reference
  /// The path at which the files of the client are served, such as `/assets/3f2a`.
  let assets: String

  /// Files and requests of the same origin only; no inline script or style, and no string becomes markup.
  static let policy = """
    default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; \
    form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'
    """

  /// - Parameter section: The service whose operations the navigation shows opened, or `problems`.
  func page(_ title: String, section: String? = nil, _ content: HTML) -> String {
    let page: HTML = """
      <!doctype html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta name="color-scheme" content="light dark">
      <title>\(title) · Quintet API</title>
      <link rel="icon" href="\(assets)/icon.svg">
      <link rel="stylesheet" href="\(assets)/docs/style.css">
      <script type="module" src="\(assets)/docs/main.js"></script>
      </head>
      <body>
      <a class="skip" href="#content">Skip to the content</a>
      <header class="bar">
      <button type="button" class="menu" popovertarget="navigation">Menu</button>
      <a class="brand" href="/docs">Quintet <span>API</span></a>
      <a class="machine" href="/openapi.json">OpenAPI 3.1</a>
      </header>
      \(navigation(section))
      <main id="content" tabindex="-1">
      \(content)
      </main>
      </body>
      </html>

      """
    return page.text
  }

  private func navigation(_ section: String?) -> HTML {
    let services: [HTML] = reference.services.map { service in
      group(
        service.name, page: "/docs/\(service.name)", isOpen: service.name == section,
        service.resources.map { resource in
          """
          <li class="resource">\(resource.title)<ul>\(resource.operations.map { operation in
            "<li><a href=\"\(operation.page)\">\(Self.method(operation.method)) \(operation.summary)</a></li>\n" as HTML
          })</ul></li>
          """
        })
    }
    let problems = group(
      "problems", page: "/problems", isOpen: section == "problems",
      reference.problems.map { "<li><a href=\"/problems/\($0.code)\"><b>\($0.status)</b> \($0.code)</a></li>\n" })
    return """
      <nav id="navigation" popover aria-label="Operations and problems">
      <div class="search" role="search" hidden><label for="search">Search</label>
      <input id="search" type="search" autocomplete="off" spellcheck="false" aria-describedby="found">
      <p id="found" role="status"></p></div>
      <a class="overview" href="/docs">Overview</a>
      \(services)\(problems)
      </nav>
      """
  }

  private func group(_ name: String, page: String, isOpen: Bool, _ entries: [HTML]) -> HTML {
    """
    <details\(isOpen ? " open" as HTML : "")><summary>\(name)</summary>
    <ul><li><a class="overview" href="\(page)">All of \(name)</a></li>\(entries)</ul></details>

    """
  }

  /// A method's badge.
  static func method(_ name: String) -> HTML { "<span class=\"method \(name.lowercased())\">\(name)</span>" }
}
