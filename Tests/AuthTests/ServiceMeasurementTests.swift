import Contracts
import GatewayService
import Observability
import Persistence
import TestKit
import Testing

@testable import AuthService
@testable import ServiceKit

/// The metrics of services as staff see them.
@Suite(.serialized)
struct ServiceMeasurementTests {
  @Test func staffSeeThemWithoutADatabase() async throws {
    try await TestPlatform.auth { host async throws in
      let support = try await host.staff(.support)
      let (history, services) = (host.platform.history, ["gateway", "auth"])
      history.sample(services)
      _ = try await support.client.send(AuthAPI.GetMe())
      host.time.advance(seconds: 15)
      history.sample(services)
      try await host.database(of: GatewayAPI.self).close()
      let shown = try await support.client.send(GatewayAPI.GetMetrics())
      #expect(shown.services.map(\.service) == services)
      #expect(shown.unavailable.isEmpty)
      for service in shown.services {
        let sample = try #require(service.samples.first)
        #expect(sample.seconds == 15)
        #expect(sample.requests >= 1)
        #expect(sample.errors == 0)
        #expect(sample.latency != nil)
      }
      #expect(shown.services[1].samples.first?.queue != nil)
    }
  }

  @Test func othersDoNot() async throws {
    try await TestPlatform.auth { host async throws in
      let ada = TestUser(try await host.signUp("ada"), host.client)
      for user in [ada, try await host.staff(.owner)] {
        #expect(try await problem { _ = try await user.client.send(GatewayAPI.GetMetrics()) }?.is(.forbidden) == true)
      }
    }
  }
}
