import Contracts
import Foundation
import HTTPServing
import HTTPTypes
import HummingbirdCore
import NIOCore
import Observability

/// The facts that support needs first: which build runs since when, whether its services are ready, and which others it
/// reaches. The page comes from memory, apart from the checks of readiness, so that it answers during an incident.
struct StatusPage: Encodable {
  struct Service: Encodable {
    var name: String
    var isReady: Bool
    var checks: [String]
  }

  struct Upstream: Encodable {
    var name: String
    var instances: Int
    var ejected: Int
  }

  var version: String
  var swift: String
  var startedAt: Timestamp
  var upSeconds: Int
  var isReady: Bool
  var services: [Service]
  /// Services in other processes.
  var upstreams: [Upstream]

  init(of platform: Platform) async throws {
    version = try platform.settings[PlatformSettings.buildVersion]
    swift = ProcessMetrics.swift
    startedAt = Timestamp(microseconds: Int64(ProcessMetrics.start * 1_000_000))
    upSeconds = Int(Date().timeIntervalSince1970 - ProcessMetrics.start)
    services = []
    for service in platform.services {
      let (isReady, checks) = await service.health.report()
      services.append(Service(name: service.manifest.name, isReady: isReady, checks: checks))
    }
    isReady = services.allSatisfy(\.isReady)
    upstreams = platform.upstreams.elsewhere.sorted { $0.name < $1.name }.map { name, instances in
      Upstream(name: name, instances: instances.all.count, ejected: instances.ejected)
    }
  }

  /// HTML for a browser, otherwise JSON.
  static func response(to request: Request, of platform: Platform) async throws -> Response {
    let page = try await StatusPage(of: platform)
    let asksForHTML = request.headers[values: .accept].contains { $0.contains("text/html") }
    guard asksForHTML else { return .json(.ok, try WireJSON.encode(page)) }
    return Response(
      status: .ok,
      headers: [
        .contentType: "text/html; charset=utf-8", .cacheControl: "no-store",
        .contentSecurityPolicy: "default-src 'none'",
      ],
      body: ResponseBody(byteBuffer: ByteBuffer(string: page.html)))
  }

  private var html: String {
    func row(_ cells: String...) -> String {
      "<tr>"
        + cells.map { "<td>\($0.split(separator: "\n").map { String($0).htmlEscaped }.joined(separator: "<br>"))</td>" }
        .joined() + "</tr>\n"
    }
    let services = services.map { row($0.name, $0.isReady ? "ready" : "not ready", $0.checks.joined(separator: "\n")) }
    let others = upstreams.map { row($0.name, "\($0.instances) instances", "\($0.ejected) ejected") }
    return """
      <!DOCTYPE html>
      <html lang="en"><head><meta charset="utf-8"><title>Quintet: \(isReady ? "ready" : "not ready")</title></head><body>
      <h1>\(isReady ? "Ready" : "Not ready")</h1>
      <p>Version \(version.htmlEscaped), Swift \(swift), since \(startedAt) (\(upSeconds) s).</p>
      <h2>Services of this process</h2>
      <table>
      \(services.joined())</table>
      \(others.isEmpty ? "" : "<h2>Services elsewhere</h2>\n<table>\n\(others.joined())</table>\n")</body></html>

      """
  }
}
