import Foundation
import TestKit
import Testing

/// Apps on hosts of their own, and pages that are asked for by plain HTTP.
@Suite(.serialized)
struct WebHostsTests {
  @Test(arguments: [false, true]) func anAppCanHaveAHostOfItsOwn(isFast: Bool) async throws {
    let settings = [
      "web.hosts": "archived=archived.example, letustudy=study.example", "gateway.publicUrl": "https://all.example",
    ]
    try await WebSite.run(settings.merging(["edge.fast": "\(isFast)"]) { $1 }) { site async throws in
      for path in ["/", "/listings/1", "/archived/", "/keepfit/"] {
        let page = try await site.get(path, host: "archived.example:8080")
        #expect(page.status == 200, "\(path)")
        #expect(
          page.body == site.page("Archived", base: "", archived: "", yesenia: "https://all.example/yesenia"))
      }
      #expect(try await site.get("/assets/\(site.build)/archived/main.js", host: "ARCHIVED.example").status == 200)
      #expect(try await site.get("/sw.js", host: "study.example").body.hasPrefix("const shell = ['/'"))
      #expect(try await site.get("/livez", host: "archived.example").body.contains("data-base") == false)
      #expect(try await site.get("/v1/nothing", host: "archived.example").status == 404)
      let page = ["Sec-Fetch-Site": "same-origin"]
      #expect(try await site.get("/web/archived/session", page, host: "archived.example").status == 200)
      // The session of another app is not there.
      #expect(try await site.get("/web/letustudy/session", page, host: "archived.example").status == 404)
      // It is nowhere else, so that no page of another app is of its origin.
      for host in ["other.example", "127.0.0.1", "archived.example."] {
        for path in ["/archived/", "/archived", "/archived/listings/1", "/letustudy/sw.js"] {
          #expect(try await site.get(path, host: host).status == 404, "\(host) \(path)")
        }
        #expect(try await site.get("/web/archived/session", page, host: host).status == 404, "\(host)")
        #expect(try await site.get("/web/archived/v1/fitness-levels", page, host: host).status == 404, "\(host)")
        #expect(try await site.get("/web/keepfit/session", page, host: host).status == 200, "\(host)")
      }
    }
  }

  @Test(arguments: [false, true]) func pagesKnowWhereOtherAppsAre(isFast: Bool) async throws {
    let settings = [
      "web.hosts": "archived=archived.example,admin=staff.example", "gateway.publicUrl": "https://all.example:8443/a",
    ]
    try await WebSite.run(settings.merging(["edge.fast": "\(isFast)"]) { $1 }) { site async throws in
      let home = try await site.get("/", host: "all.example:8443")
      #expect(home.body.contains("<a href=\"https://archived.example:8443/\"><a href=\"/keepfit/\">"))
      let page = try await site.get("/keepfit/", host: "all.example:8443")
      #expect(page.body == site.page("KeepFit", base: "/keepfit", archived: "https://archived.example:8443"))
      // Files on the host of all are of another origin.
      for (path, title, base) in [
        ("/shop/", "Shop", "/shop"), ("/shop/products/1", "Shop", "/shop"), ("/people", "Office", ""),
      ] {
        let page = site.page(
          title, base: base, archived: "https://archived.example:8443", yesenia: "https://all.example:8443/yesenia")
        #expect(try await site.get(path, host: "staff.example:8443").body == page, "\(path)")
      }
      #expect(try await site.get("/shop", host: "staff.example").headers["location"] == "/shop/")
      #expect(try await site.get("/admin/shop/", host: "all.example:8443").status == 404)
    }
    // Without hosts, nothing depends on the public URL.
    try await WebSite.run(["gateway.publicUrl": "https://all.example", "edge.fast": "\(isFast)"]) { site async throws in
      #expect(try await site.get("/").body.contains("<a href=\"/archived/\"><a href=\"/keepfit/\">"))
      #expect(try await site.get("/keepfit/").body == site.page("KeepFit", base: "/keepfit"))
    }
  }

  @Test(arguments: [false, true]) func anAppCanHaveSeveralHosts(isFast: Bool) async throws {
    let settings = [
      "web.hosts": "archived=archived.example,archived=www.archived.example",
      "gateway.publicUrl": "https://all.example",
    ]
    try await WebSite.run(settings.merging(["edge.fast": "\(isFast)"]) { $1 }) { site async throws in
      for host in ["archived.example", "www.archived.example"] {
        #expect(try await site.get("/listings/1", host: host).body.hasPrefix("<html data-base=\"\" "), "\(host)")
      }
      let page = try await site.get("/keepfit/", host: "all.example")
      #expect(page.body == site.page("KeepFit", base: "/keepfit", archived: "https://archived.example"))
    }
  }

  /// The owner's side of the shop uses the session of the back office, which must be out of the shop's reach.
  @Test func theSessionOfStaffIsWhereTheBackOfficeIs() async throws {
    let page = ["Sec-Fetch-Site": "same-origin"]
    for (hosts, statuses) in [
      ("yesenia=shop.example", ["all.example": 200, "shop.example": 404]),
      ("admin=staff.example", ["all.example": 404, "staff.example": 200]),
      ("yesenia=shop.example,admin=staff.example", ["all.example": 404, "shop.example": 404, "staff.example": 200]),
    ] {
      try await WebSite.run(["web.hosts": hosts, "gateway.publicUrl": "https://all.example"]) { site async throws in
        for (host, status) in statuses {
          #expect(try await site.get("/web/admin/session", page, host: host).status == status, "\(hosts) \(host)")
        }
      }
    }
  }

  @Test(arguments: [false, true]) func pagesByPlainHTTPGoToHTTPS(isFast: Bool) async throws {
    let settings = ["gateway.plainHttp": "redirect", "gateway.publicUrl": "https://quintet.example"]
    try await WebSite.run(settings.merging(["edge.fast": "\(isFast)"]) { $1 }) {
      site async throws in
      for path in ["/archived/", "/assets/\(site.build)/archived/main.js", "/web/archived/session"] {
        let moved = try await site.get(path)
        #expect(moved.status == 308, "\(path)")
        #expect(moved.headers["location"] == "https://quintet.example\(path)")
      }
    }
  }

  @Test(arguments: [false, true]) func anAppsHostGoesToHTTPSByItself(isFast: Bool) async throws {
    let settings = [
      "gateway.plainHttp": "redirect", "gateway.publicUrl": "https://all.example:8443",
      "web.hosts": "archived=archived.example,archived=www.archived.example",
    ]
    try await WebSite.run(settings.merging(["edge.fast": "\(isFast)"]) { $1 }) { site async throws in
      for (host, origin) in [
        "archived.example": "https://archived.example:8443",
        "WWW.archived.example:80": "https://www.archived.example:8443",
        "all.example": "https://all.example:8443",
        // No one is sent to a host that is not ours.
        "archived.example.net": "https://all.example:8443",
      ] {
        let moved = try await site.get("/listings/1?a=b", host: host)
        #expect(moved.status == 308, "\(host)")
        #expect(moved.headers["location"] == "\(origin)/listings/1?a=b", "\(host)")
      }
    }
  }
}
