import Contracts

/// `/problems`, the list of all problems, and `/problems/{code}`, which is the `type` of one.
struct ProblemPages {
  let reference: Reference

  var list: HTML {
    """
    <h1>Problems</h1>
    <p class="lead">What goes wrong is answered as <code>application/problem+json</code> (RFC 9457). Clients decide by
    <code>code</code>; <code>title</code> and <code>detail</code> are for developers.</p>
    <h2 id="general">Of every operation</h2>
    \(entries(reference.problems.filter(\.isGeneral)))
    <h2 id="operations">Of some operations</h2>
    \(entries(reference.problems.filter { !$0.isGeneral }))
    """
  }

  /// `nil` without such a problem.
  func explanation(of code: String) -> (title: String, content: HTML)? {
    guard let problem = reference.problems.first(where: { $0.code == code }) else { return nil }
    let operations: [HTML] = reference.operations(returning: code).map {
      "<li><a href=\"\($0.page)\">\(ReferencePage.method($0.method)) \($0.summary)</a></li>\n"
    }
    let general: HTML = problem.isGeneral ? "<p>Every operation may answer it.</p>" : ""
    let content: HTML = """
      <p class="trail"><a href="/problems">Problems</a></p>
      <h1>\(problem.title)</h1>
      <p class="call"><span class="status">\(problem.status)</span> <code>\(problem.code)</code></p>
      <h2>What it means</h2>
      <p>\(prose: problem.meaning)</p>
      <h2>What to do</h2>
      <p>\(prose: problem.remedy)</p>
      <h2>Example</h2>
      <pre tabindex="0"><code>\(problem.example.indented())</code></pre>
      <h2>Operations that answer it</h2>
      \(general)<ul class="links">\(operations)</ul>
      """
    return (problem.title, content)
  }

  private func entries(_ problems: [Reference.Problem]) -> HTML {
    let rows: [HTML] = problems.map {
      """
      <div><dt><a href="/problems/\($0.code)"><code>\($0.code)</code></a> <span class="note">\($0.status)</span></dt>
      <dd>\($0.title)</dd></div>

      """
    }
    return "<dl class=\"properties\">\(rows)</dl>"
  }
}
