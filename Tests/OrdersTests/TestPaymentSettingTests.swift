import Contracts
import Foundation
import Observability
import ServiceKit
import TestKit
import Testing

@testable import OrdersService

/// Payments of the test provider move no money, so they are accepted only where no other provider takes
/// money, and never silently.
struct TestPaymentSettingTests {
  @Test("M19: every start that accepts test payments says so in the log")
  func testPaymentsAreLogged() async throws {
    try await TemporaryFolder.run { folder async throws in
      let file = "\(folder)/log"
      let descriptor = open(file, O_WRONLY | O_CREAT | O_APPEND, 0o600)
      try #require(descriptor >= 0)
      // Never closed: the log's thread may still write to it.
      let sink = LogSink(descriptor: descriptor)
      let settings = ["data": folder]
      for (isOn, count) in [(true, 1), (false, 1), (true, 2)] {
        let all = settings.merging(["payments.test": "\(isOn)"]) { $1 }
        let platform = try await ServiceHost.build(TestPlatform.shop, settings: Settings(all), sink: sink)
        await platform.close()
        sink.flush()
        try await eventually("the warning of each start") {
          let lines = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n")
          return lines.count { $0.contains("warning") && $0.contains("payments.test") } == count
        }
      }
    }
  }

  @Test("M19: test payments are refused where Apple's purchases cost money")
  func testPaymentsAreRefusedWithStoreKit() async throws {
    let apple = ["storekit.bundleId": "app.archived", "storekit.sandbox": "false", "payments.test": "true"]
    await #expect {
      try await TestPlatform.orders(settings: apple) { _ async throws in }
    } throws: { error in
      // Not the missing root certificate.
      (error as? SettingError)?.description.contains("payments.test") == true
    }
  }

  /// The settings of a compose file without any variable in the environment.
  @Test("M19: containers accept test payments only if configured", arguments: ["compose", "compose.quintet"])
  func composeIsSafeByDefault(_ name: String) throws {
    let root = URL(fileURLWithPath: #filePath).appendingPathComponent("../../..").standardized
    let text = try String(contentsOf: root.appendingPathComponent("compose/\(name).yaml"), encoding: .utf8)
    let values = text.matches(of: /PAYMENTS_TEST: (\S+)/).map { String($0.1) }
    #expect(values == ["${PAYMENTS_TEST:-false}"])
  }
}
