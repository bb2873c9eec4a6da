import Contracts
import Foundation
import TestKit
import Testing

/// The stand-in of Stripe, judged by Stripe's own client, and its handle in these tests.
@Suite(.serialized)
struct StripeStandInTests {
  /// Prints each check, so that a failure names the behavior that is missing.
  @Test(arguments: ["payments", "refunds", "delivery", "billing", "shapes"])
  func answersLikeStripe(_ subject: String) async throws {
    let output = Pipe()
    let command = try Command(
      [Python.path(), "-u", StripeStandIn.folder + "/checks.py", subject], output: output
    )
    var bytes = Data()
    while case let more = await output.readMore(), !more.isEmpty { bytes += more }
    let lines = String(decoding: bytes, as: UTF8.self)
    for line in lines.split(separator: "\n") {
      print("\(subject): \(line)")
      if line.hasPrefix("not ok") { Issue.record("\(line)") }
    }
    #expect(await command.end() == 0)
    #expect(lines.contains("0 failed"))
  }

  @Test func deliveriesThatAreLostArriveLater() async throws {
    let time = ManualTime()
    let stripe = try await StripeStandIn.run(time: time)
    try await TestPlatform.orders(settings: stripe.settings, time: time) { host async throws in
      try await stripe.post("/v1/customers", "payment_method=pm_card_visa")
      try await stripe.post("/v1/setup_intents")
      let arrived = try await stripe.deliverEvents(to: host, drop: 1)
      #expect(arrived.map(\.status) == [200, 200])
      #expect(try await stripe.deliverEvents(to: host).isEmpty)
      time.advance(seconds: 60)
      #expect(try await stripe.deliverEvents(to: host).map(\.status) == [200])
      #expect(try await stripe.control("events?undelivered=true")["data"]?.elements == [])
    }
  }

  @Test func itGoesOnWhereItWasKilled() async throws {
    try await TemporaryFolder.run { folder in
      let database = folder + "/stripe.sqlite"
      let first = try await StripeStandIn.run(database: database)
      let card = try await first.card().rawValue
      first.kill()
      let second = try await StripeStandIn.run(database: database)
      let answer = try await second.get("/v1/payment_methods/\(card)")
      #expect(answer["card"]?["last4"]?.string == "4242")
    }
  }

  @Test func itsCommandsThatAreWrongAreErrors() async throws {
    let stripe = try await StripeStandIn.run()
    await #expect(throws: TestKitError.self) { try await stripe.fail("/v1/refunds", with: "noSuchFault") }
    await #expect(throws: TestKitError.self) { try await stripe.control("nothing", [:]) }
  }
}
