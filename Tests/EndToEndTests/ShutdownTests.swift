import CurlClient
import Foundation
import HTTPTypes
import TestKit
import Testing

/// The behavior of a process between SIGTERM and its end.
@Suite(.serialized)
struct ShutdownTests {
  @Test("After SIGTERM, a process still serves, reports that it stops, and closes its connections")
  func aProcessGivesNotice() async throws {
    try await TemporaryFolder.run { folder async throws in
      let settings = ["DATA": folder, "LOG_LEVEL": "error", "SHUTDOWN_NOTICE_SECONDS": "600"]
      let auth = try await ServiceProcess("auth", settings: settings)
      try await CurlClient.running { http in
        let ready = ClientRequest(origin: auth.url, target: "/readyz")
        let keys = ClientRequest(origin: auth.url, target: "/.well-known/jwks.json")
        try await eventually("the process is ready") { try await http.send(ready).status == 200 }
        let usual = try await http.send(keys)
        #expect(usual.status == 200)
        #expect(usual.headers[.connection] == nil)
        async let end = auth.terminate()
        try await eventually("the process gives notice") { try await http.send(ready).status == 503 }
        let report = try await http.send(ready)
        #expect(String(decoding: try await report.body.collect(upTo: 4096), as: UTF8.self).contains("draining failed"))
        let last = try await http.send(keys)
        #expect(last.status == 200)
        #expect(last.headers[.connection] == "close")
        await auth.kill()
        _ = await end
      }
    }
  }

  /// The `health` command of containers.
  @Test func healthSpeaksTLS() async throws {
    try await TemporaryFolder.run { folder async throws in
      let own = try await Certificates.make(in: folder)
      let tls = ["TLS_CERTIFICATE": own.certificate, "TLS_KEY": own.key]
      let port = "\(try reservedPort())"
      let settings = ["DATA": folder, "LOG_LEVEL": "error", "PORT": port].merging(tls) { $1 }
      func health(_ settings: [String: String]) async throws -> Int32 {
        try await Command(
          [ServiceProcess.executable("quintet").path, "health"], environment: settings, folder: "/tmp", output: Pipe()
        ).end()
      }
      try await ServiceProcess.running("quintet", settings: settings) { quintet in
        #expect(quintet.url.hasPrefix("https://"))
        try await eventually("the process is ready") { try await health(settings) == 0 }
        // Another certificate than that of the settings is not the process that was meant.
        let other = try await Certificates.make(in: folder, name: "other")
        let stranger = ["TLS_CERTIFICATE": other.certificate, "TLS_KEY": other.key]
        #expect(try await health(settings.merging(stranger) { $1 }) == 1)
      }
      #expect(try await health(settings) == 1)
    }
  }
}
