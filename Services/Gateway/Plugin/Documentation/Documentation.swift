import Contracts
import HTTPServing
import HTTPTypes
import HummingbirdCore
import ServiceKit
import Synchronization

/// The platform's OpenAPI document, the pages of it, and the pages that explain its problems. All of them are made from
/// what the services describe, when they are first asked for.
final class Documentation: Feature {
  private struct Rendered {
    let reference: Reference
    let json: [UInt8]
    /// Pages of services and the overview, by path.
    var pages: [String: [UInt8]] = [:]
  }

  private struct State {
    var services: [ServiceDescription] = []
    var rendered: Rendered?
  }

  private let own: ServiceDescription
  private let publicURL: String
  private let assets: String
  private let state = Mutex(State())

  /// - Parameters:
  ///   - own: What the gateway serves itself.
  ///   - publicURL: The gateway's, without a slash at the end.
  ///   - assets: Where the files of the web client are served, such as `/assets/3f2a`.
  init(own: ServiceDescription, publicURL: String, assets: String) {
    (self.own, self.publicURL, self.assets) = (own, publicURL, assets)
  }

  /// Replaces the described services.
  func describe(_ services: [ServiceDescription]) { state.withLock { $0 = State(services: services) } }

  func register(in routes: inout Routes) {
    routes.on(GatewayAPI.openAPI) { [self] request, _ in
      .content(
        Content(mediaType: "application/json; charset=utf-8", bytes: try rendered().json), caching: .shared, to: request
      )
    }
    routes.on(GatewayAPI.documentation) { [self] request, _ in
      try answer(request, at: "/docs") { shell in
        shell.page("Overview", OverviewPage(reference: shell.reference, publicURL: publicURL).content)
      }
    }
    routes.on(GatewayAPI.serviceDocumentation) { [self] request, context in
      let name = context.parameters["service"] ?? ""
      return try answer(request, at: "/docs/\(name)") { shell in
        guard let service = shell.reference.services.first(where: { $0.name == name }) else {
          throw Problem(.notFound)
        }
        let page = ServicePage(reference: shell.reference, service: service, publicURL: publicURL)
        return shell.page(name, section: name, page.content)
      }
    }
    routes.on(GatewayAPI.problems) { [self] request, _ in
      try answer(request, at: "/problems") { shell in
        shell.page("Problems", section: "problems", ProblemPages(reference: shell.reference).list)
      }
    }
    routes.on(GatewayAPI.problem) { [self] request, context in
      // There are hundreds, each rarely read, so that none is kept.
      let shell = ReferencePage(reference: try rendered().reference, assets: assets)
      guard let page = ProblemPages(reference: shell.reference).explanation(of: context.parameters["code"] ?? "") else {
        throw Problem(.notFound)
      }
      return Self.response(shell.page(page.title, section: "problems", page.content).utf8, to: request)
    }
  }

  /// The page at a path, which is rendered once for each description of the platform.
  private func answer(_ request: Request, at path: String, _ render: (ReferencePage) throws -> String) throws
    -> Response
  {
    let known = try rendered()
    if let page = known.pages[path] { return Self.response(page, to: request) }
    let page = Array(try render(ReferencePage(reference: known.reference, assets: assets)).utf8)
    state.withLock {
      if $0.rendered?.json == known.json { $0.rendered?.pages[path] = page }
    }
    return Self.response(page, to: request)
  }

  private static func response(_ page: some Sequence<UInt8>, to request: Request) -> Response {
    let content = Content(mediaType: "text/html; charset=utf-8", bytes: Array(page))
    var response = Response.content(content, caching: .shared, to: request)
    response.headers[.contentSecurityPolicy] = ReferencePage.policy
    return response
  }

  private func rendered() throws -> Rendered {
    let (services, known) = state.withLock { ($0.services, $0.rendered) }
    if let known { return known }
    let reference = Reference(services + [own])
    let rendered = Rendered(reference: reference, json: try WireJSON.encode(reference.document))
    state.withLock { if $0.services == services { $0.rendered = rendered } }
    return rendered
  }
}
