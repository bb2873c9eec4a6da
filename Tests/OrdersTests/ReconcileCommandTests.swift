import Contracts
import Foundation
import ServiceKit
import TestKit
import Testing

@testable import OrdersService

/// The command line of `quintet orders reconcile`.
@Suite(.serialized)
struct ReconcileCommandTests {
  private static func reconcile(_ arguments: [String]) async throws -> (text: String, status: Int32) {
    let output = Pipe()
    let command = try Command(
      [ServiceProcess.executable("quintet").path, "orders", "reconcile"] + arguments, output: output)
    let text = String(decoding: await output.readToEnd(), as: UTF8.self)
    return (text, await command.end())
  }

  @Test("The exit status is 1 while a difference remains, and 0 afterwards")
  func exitStatus() async throws {
    // The command runs on the system's clock.
    let start = try #require(Timestamp(seconds: 1_700_000_000))
    try await StoreKitTests.run { _ in
      try StoreKitTests.Apple(at: start, days: 36_500)
    } _: { shop async throws in
      let (seller, ada) = (try await shop.host.person(), try await shop.host.person())
      let (_, order) = try await shop.pendingBeat(seller, ada)
      let (report, root) = ("\(shop.host.folder)/report.txt", "\(shop.host.folder)/root.pem")
      try shop.apple.pem().write(toFile: root, atomically: true, encoding: .utf8)
      try shop.apple.sign(shop.transaction("t1", token: order.id.rawValue, environment: "Production"))
        .write(toFile: report, atomically: true, encoding: .utf8)
      let arguments = [
        "--provider", "apple", "--report", report, "--data", shop.host.folder, "--storekit-bundle-id", "app.archived",
        "--storekit-root-file", root, "--storekit-checks-revocation", "false",
      ]
      let found = try await Self.reconcile(arguments)
      #expect(found.status == 1, "\(found.text)")
      #expect(found.text.contains("missing here: t1: 20.00 USD, beat\n"))
      let repaired = try await Self.reconcile(["--repair"] + arguments)
      #expect(repaired.status == 0, "\(repaired.text)")
      #expect(repaired.text.contains("missing here: t1: 20.00 USD, beat (repaired)\n"))
      let again = try await Self.reconcile(arguments)
      #expect(again.status == 0)
      #expect(again.text.contains("1 payments and refunds compared, 0 differences, 0 repaired"))
      #expect(try await Self.reconcile(["--provider", "cash"]).status == 64)
      #expect(try await Self.reconcile(["--provider", "apple"]).status == 64)
    }
  }
}
