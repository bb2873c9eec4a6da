import Contracts
import HTTPServing
import HTTPTypes
import HummingbirdCore
import NIOCore
import ServiceKit
import WebClient

/// The pages of shared links (`/s/{kind}/{id}`), from which other apps take what they show of a link.
struct LinkPages: Feature {
  private let previews: LinkPreviews
  private let page: LinkPage
  private let web: WebInterceptor

  /// The beginnings of the addresses of screens that show objects in the browser, by kind.
  private static let screens: [String: (app: WebApp, path: String)] = [
    "listing": (.archived, "/listings/"), "post": (.yesenia, "/blog/"), "product": (.yesenia, "/products/"),
    "set": (.letustudy, "/library/"), "video": (.keepfit, "/explore/videos/"),
    "livestream": (.keepfit, "/explore/live/"),
  ]

  init(_ environment: ServiceEnvironment, owners: any PreviewOwners, web: WebInterceptor) throws {
    self.web = web
    let settings = environment.settings
    previews = LinkPreviews(environment, owners: owners)
    page = LinkPage(
      publicURL: try settings[GatewaySettings.publicURL], siteName: try settings[GatewaySettings.siteName],
      appLink: try settings[GatewaySettings.appLink])
  }

  func register(in routes: inout Routes) {
    routes.on(GatewayAPI.link) { request, context in
      let (kind, id) = (context.parameters["kind"] ?? "", context.parameters["id"] ?? "")
      var response: Response
      switch await previews.find(kind, id) {
      case .found(let preview):
        // The service's spelling of the id: other spellings lead to the same page.
        let id = id.lowercased()
        let screen = Self.screens[kind].flatMap { web.address(of: $0.app, $0.path + id, on: request.head.authority) }
        let html = page.found(preview, kind, id, screen: screen)
        response = .content(Self.content(html), caching: .shared, to: request)
        response.headers[.cacheControl] = "public, max-age=\(LinkPreviews.seconds)"
        if !preview.isIndexed { response.headers[.robots] = "noindex" }
      case .missing:
        response = Self.response(.notFound, page.missing)
        response.headers[.cacheControl] = "public, max-age=\(LinkPreviews.seconds)"
      case .unavailable:
        response = Self.response(.serviceUnavailable, page.unavailable)
        response.headers[.cacheControl] = "no-store"
        response.headers[.retryAfter] = "5"
      }
      response.headers[.contentSecurityPolicy] = LinkPage.policy
      return response
    }
  }

  private static func content(_ html: String) -> Content {
    Content(mediaType: "text/html; charset=utf-8", bytes: Array(html.utf8))
  }

  private static func response(_ status: HTTPResponse.Status, _ html: String) -> Response {
    Response(
      status: status, headers: [.contentType: "text/html; charset=utf-8", .robots: "noindex"],
      body: ResponseBody(byteBuffer: ByteBuffer(string: html)))
  }
}

extension HTTPField.Name {
  fileprivate static let robots = Self(known: "X-Robots-Tag")
}
