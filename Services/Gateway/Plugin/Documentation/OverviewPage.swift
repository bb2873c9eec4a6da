import Contracts

/// `/docs`: how to start, what holds for all operations, the services, and the scopes.
struct OverviewPage {
  let reference: Reference
  /// The gateway's, without a slash at the end.
  let publicURL: String

  var content: HTML {
    """
    <h1>Quintet API</h1>
    <p class="lead">\(reference.services.map(\.operations.count).reduce(0, +)) operations of
    \(reference.services.count) services behind one address, in JSON over HTTP.</p>
    <h2 id="start">Start</h2>
    <p>Sign up, and send the access token of the answer with each request. Access tokens are valid for minutes; the refresh
    token gets the next one.</p>
    <pre tabindex="0"><code>\(example)</code></pre>
    <h2 id="rules">What holds for all operations</h2>
    <ul class="rules">
    <li><b>Problems</b> are <code>application/problem+json</code> (RFC 9457). Their <code>type</code> leads to a page that
    explains them: <a href="/problems">all problems</a>. Their <code>trace</code> identifies the request in the logs.</li>
    <li><b>Repeating</b> is safe for reads, PUT and DELETE. Other operations take an <code>Idempotency-Key</code>, where
    they say so: the same key has the same effect once, and gets the same answer.</li>
    <li><b>Versions</b>: the <code>ETag</code> of a resource in <code>If-Match</code> changes it only if no one else has; in
    <code>If-None-Match</code>, it gets <code>304</code> if nothing has changed.</li>
    <li><b>Lists</b> have pages: <code>limit</code> is their size, and <code>nextCursor</code> of one page is the
    <code>cursor</code> of the next.</li>
    <li><b>Limits</b>: <code>429</code> names in <code>Retry-After</code> the seconds to wait.</li>
    <li><b>null</b>: \(prose: reference.document["info"]?["description"]?.string ?? "")</li>
    </ul>
    <h2 id="services">Services</h2>
    <ul class="cards">\(services)</ul>
    \(scopes)
    """
  }

  private var services: [HTML] {
    reference.services.map {
      """
      <li><a href="/docs/\($0.name)"><strong>\($0.name)</strong> <span>\($0.summary)</span>
      <small>\($0.operations.count) operations</small></a></li>

      """
    }
  }

  /// The first two requests of an app.
  private var example: String {
    """
    curl \(publicURL)/v1/auth/signup --json '{
      "email": "ada@example.com",
      "password": "correct horse battery"
    }'

    curl \(publicURL)/v1/users/me -H 'Authorization: Bearer TOKEN'
    """
  }

  /// The scopes of each app's tokens.
  private var scopes: HTML {
    let apps = ClientApp.allCases
    let rows: [HTML] = Scope.allCases.map { scope in
      let marks: [HTML] = apps.map { $0.scopes.contains(scope) ? "<td>yes</td>" : "<td></td>" }
      return "<tr><td><code>\(scope.rawValue)</code></td>\(marks)<td>\(scope.summary)</td></tr>\n"
    }
    return """
      <h2 id="scopes">Scopes</h2>
      <p>A token permits what the scopes of its app cover; anything else answers 403
      <a href="/problems/scope-missing"><code>scope-missing</code></a>.</p>
      <div class="wide" tabindex="0" role="region" aria-labelledby="scopes"><table>
      <thead><tr><th>Scope</th>\(apps.map { "<th>\($0.rawValue)</th>" as HTML })<th>Covers</th></tr></thead>
      <tbody>\(rows)</tbody></table></div>
      """
  }
}
