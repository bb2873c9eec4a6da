import Contracts
import CurlClient
import Foundation
import HTTPTypes
import ServiceKit
import Synchronization
import TestKit

@testable import OrdersService

/// The program `Tests/StripeStandIn`, which answers like Stripe, and what tests command of it. It is killed when nothing
/// refers to it any more.
final class StripeStandIn: Sendable {
  enum Order: String {
    case asc, desc, shuffle
  }

  let url: String
  private let program: Python.Program
  private let isKilled = Mutex(false)

  static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("StripeStandIn").path

  private init(url: String, program: Python.Program) { (self.url, self.program) = (url, program) }

  deinit { kill() }

  /// Starts it.
  /// - Parameters:
  ///   - time: Where its clock stands until it is moved, as the platform's; `nil` for the system clock.
  ///   - database: A file that outlives the program, for a start after ``kill()``.
  ///   - port: The port of a program that was killed; a free one by default.
  static func run(time: ManualTime? = ManualTime(), database: String = ":memory:", port: Int = 0) async throws
    -> StripeStandIn
  {
    var arguments = [folder + "/server.py", "--with-parent", "--database", database, "--port", String(port)]
    if let time { arguments += ["--clock", String(time.source.now().unixSeconds)] }
    let program = try await Python.start(arguments)
    var lines = program.lines.makeAsyncIterator()
    guard let line = await lines.next(),
      let url = try WireJSON.decode(JSONValue.self, from: Array(line.utf8))["url"]?.string
    else { throw TestKitError("the stand-in of Stripe does not name its URL") }
    return StripeStandIn(url: url, program: program)
  }

  /// Starts it for a body that need not refer to it.
  static func running<Value>(
    time: ManualTime? = ManualTime(), _ body: (StripeStandIn) async throws -> Value
  ) async throws -> Value {
    let stripe = try await run(time: time)
    defer { stripe.kill() }
    return try await body(stripe)
  }

  /// Ends it as a power failure does; its database keeps what it answered.
  func kill() {
    // Not twice: by then the number may belong to another process.
    let isFirst = isKilled.withLock { isKilled in
      defer { isKilled = true }
      return !isKilled
    }
    if isFirst { program.command.signal(SIGKILL) }
  }

  /// The platform's settings.
  var settings: [String: String] {
    ["stripe.url": url, "stripe.key": "sk_test_12345", "stripe.webhookSecret": "whsec_test"]
  }

  // MARK: commands

  /// Gives a command of the control API (`advance`, `faults`, …; see the README), or asks when there is no body.
  @discardableResult
  func control(_ path: String, _ body: JSONValue? = nil) async throws -> JSONValue {
    let path = path.hasPrefix("/_control/") ? path : "/_control/" + path
    return try await send(
      body.map { _ in .post } ?? .get, path, body.map { try WireJSON.encode($0) }, "application/json")
  }

  /// A request of Stripe's API, made by the app or in Stripe's dashboard.
  @discardableResult
  func post(_ path: String, _ form: String = "") async throws -> JSONValue {
    try await send(.post, path, Array(form.utf8), "application/x-www-form-urlencoded")
  }

  /// Ends a subscription at once.
  func cancel(_ subscription: String) async throws {
    _ = try await send(.delete, "/v1/subscriptions/\(subscription)", nil, "application/x-www-form-urlencoded")
  }

  func get(_ path: String) async throws -> JSONValue { try await send(.get, path, nil, "application/json") }

  private func send(_ method: HTTPRequest.Method, _ path: String, _ body: [UInt8]?, _ type: String) async throws
    -> JSONValue
  {
    try await CurlClient.running { http in
      let response = try await http.execute(
        ClientRequest(
          method,
          origin: url,
          target: path,
          headers: [.authorization: "Bearer sk_test_12345", .contentType: type],
          body: body.map { $0.isEmpty ? .none : .bytes($0) } ?? .none,
          // Nothing repeats what a test wants of it.
          timeouts: .init(connect: Waiting.limit, firstByte: Waiting.limit, total: nil)
        )
      )
      let answer = try await response.body.collect(upTo: 1 << 26)
      guard response.status < 400 else {
        throw TestKitError("\(method) \(path): \(response.status) \(String(decoding: answer, as: UTF8.self))")
      }
      return try WireJSON.decode(JSONValue.self, from: answer)
    }
  }

  /// Lets the next requests fail; the README lists the faults.
  func fail(_ path: String, with fault: String, times: Int = 1, skipping skip: Int = 0) async throws {
    try await control(
      "faults",
      ["path": .string(path), "fault": .string(fault), "times": .integer(Int64(times)), "skip": .integer(Int64(skip))]
    )
  }

  /// Moves its clock forward; renewals, dunning and everything else that becomes due happen at their own times.
  func advance(seconds: Int) async throws { try await control("advance", ["seconds": .integer(Int64(seconds))]) }

  /// A token of a card that an app got from Stripe.
  func card(_ number: String = "4242424242424242") async throws -> ProviderToken {
    let method = try await post(
      "/v1/payment_methods",
      "type=card&card[number]=\(number)&card[exp_month]=12&card[exp_year]=2040&card[cvc]=123"
    )
    return try ProviderToken(validating: method["id"]?.string ?? "")
  }

  // MARK: notifications

  /// Moves its clock to the platform's time if that is later, and delivers what is due, and what this causes, until
  /// nothing is left. Deliveries that were refused or lost are due again later on its clock.
  ///
  /// - Parameters:
  ///   - duplicates: How many of those due now are delivered twice.
  ///   - drop: How many of those due now are lost on their way.
  ///   - types: The types of events to deliver; all by default.
  /// - Returns: The types of the delivered events, with the statuses of their answers.
  @discardableResult
  func deliverEvents(
    to platform: TestPlatform,
    order: Order = .asc,
    duplicates: Int = 0,
    drop: Int = 0,
    types: [String] = [],
    seed: Int64 = 0
  ) async throws -> [(type: String, status: Int)] {
    let now = try platform.orders.core.time.now().unixSeconds
    try await control("clock", ["now": .integer(now)])
    let wanted: [(String, JSONValue?)] = [
      ("order", .string(order.rawValue)), ("seed", .integer(seed)), ("at", .integer(now)),
      ("types", .array(types.map { .string($0) })),
    ]
    let once: [(String, JSONValue?)] = [
      ("duplicates", .integer(Int64(duplicates))), ("drop", .integer(Int64(drop))),
    ]
    var answers: [(type: String, status: Int)] = []
    var attempts = try await control("attempts", .object(wanted + once))["data"]?.elements ?? []
    while !attempts.isEmpty {
      for attempt in attempts { answers.append(try await deliver(attempt, to: platform)) }
      attempts = try await control("attempts", .object(wanted))["data"]?.elements ?? []
    }
    return answers
  }

  private func deliver(_ attempt: JSONValue, to platform: TestPlatform) async throws -> (type: String, status: Int) {
    guard let body = attempt["body"]?.string, let signature = attempt["signature"]?.string,
      let type = attempt["type"]?.string, case .integer(let delivery)? = attempt["delivery"]
    else { throw TestKitError("not an attempt: \(attempt)") }
    let status = try await platform.send(
      .post,
      "/v1/payments/webhooks/stripe",
      body,
      headers: [(name: "stripe-signature", value: signature)]
    ).status
    try await control("attempts/\(delivery)", ["status": .integer(Int64(status))])
    return (type, status)
  }
}
