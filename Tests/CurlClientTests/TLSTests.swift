import CurlClient
import Foundation
import HTTPTypes
import TestKit
import Testing

/// Against a real TLS server with HTTP/2 (nghttpd of Debian's nghttp2-server) and certificates of a test authority.
struct TLSTests {
  private func withServer(_ body: (_ folder: String, _ origin: String) async throws -> Void) async throws {
    try await TemporaryFolder.run { folder async throws in
      let curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
      try await Command.run(
        ["openssl", "req", "-x509", "-subj", "/CN=Test Authority", "-days", "2", "-keyout", "ca.key", "-out", "ca.pem"]
          + curve,
        folder: folder
      )
      try await Command.run(
        ["openssl", "req", "-subj", "/CN=localhost", "-keyout", "server.key", "-out", "server.csr"] + curve,
        folder: folder
      )
      try "subjectAltName=DNS:localhost,IP:127.0.0.1\n".write(
        toFile: "\(folder)/names",
        atomically: true,
        encoding: .utf8
      )
      try await Command.run(
        [
          "openssl", "x509", "-req", "-in", "server.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-days", "2", "-extfile",
          "names", "-out", "server.pem",
        ],
        folder: folder
      )
      try "hello over TLS".write(toFile: "\(folder)/hello.txt", atomically: true, encoding: .utf8)
      let port = try reservedPort()
      let server = try Command(
        ["nghttpd", "-a", "127.0.0.1", "-d", folder, "\(port)", "\(folder)/server.key", "\(folder)/server.pem"])
      defer { server.signal(SIGKILL) }
      try await eventually("nghttpd listens") { (try? RawConnection(to: "http://127.0.0.1:\(port)")) != nil }
      try await body(folder, "https://localhost:\(port)")
    }
  }

  @Test func sharesOneHTTP2Connection() async throws {
    try await withServer { folder, origin in
      var configuration = CurlClient.Configuration()
      configuration.authoritiesFile = "\(folder)/ca.pem"
      configuration.usesHTTP2 = true
      try await CurlClient.running(configuration) { client in
        let bodies = try await concurrently(0..<50) { _ in
          let response = try await client.send(ClientRequest(origin: origin, target: "/hello.txt"))
          return String(decoding: try await response.body.collect(upTo: 1000), as: UTF8.self)
        }
        #expect(bodies == Array(repeating: "hello over TLS", count: 50))
        #expect(client.statistics.newConnections == 1)
      }
    }
  }

  @Test func refusesUnknownAuthorities() async throws {
    try await withServer { _, origin in
      try await CurlClient.running { client in
        let error = await #expect(throws: ClientError.self) {
          try await client.send(ClientRequest(.post, origin: origin, target: "/hello.txt"))
        }
        #expect(error?.reason == .tlsFailed)
        #expect(error?.mayHaveRun == false)
      }
    }
  }
}
