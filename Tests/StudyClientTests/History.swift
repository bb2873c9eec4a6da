import Contracts
import Foundation
import Synchronization
import TestKit

@testable import StudyClient

/// A device of a history: its file outlives its client.
final class SimulatedDevice {
  let path: String
  let plan = FaultPlan()
  private let host: ClientHost
  private let user: TestUser
  private let ledger: Ledger
  private let limits: StudyClient.Limits
  private let tamper: @Sendable (inout SyncResponse) -> Void
  /// How far its clock is ahead, in seconds.
  let skew: Skew
  private(set) var client: StudyClient
  private(set) var healed: [SyncCollection] = []
  private(set) var kills = 0

  init(
    _ host: ClientHost, _ user: TestUser, _ ledger: Ledger, limits: StudyClient.Limits, skew: Double,
    tamper: @escaping @Sendable (inout SyncResponse) -> Void
  ) throws {
    (self.host, self.user, self.ledger, self.limits) = (host, user, ledger, limits)
    (self.skew, self.tamper, path) = (Skew(skew), tamper, try host.newFile())
    client = try Self.open(path, host, user, ledger, limits, self.skew, plan, tamper)
  }

  private static func open(
    _ path: String, _ host: ClientHost, _ user: TestUser, _ ledger: Ledger, _ limits: StudyClient.Limits,
    _ skew: Skew, _ plan: FaultPlan, _ tamper: @escaping @Sendable (inout SyncResponse) -> Void
  ) throws -> StudyClient {
    try host.open(
      path, of: user, transport: FaultyTransport(user: user, plan: plan, ledger: ledger, tamper: tamper),
      time: skew.source(host.test.time.source), limits: limits, reach: { try plan.reach($0) })
  }

  /// Opens the file again, as after the death of the process.
  func reopen() throws {
    kills += 1
    client = try Self.open(path, host, user, ledger, limits, skew, plan, tamper)
  }

  /// Synchronizes; a connection that is lost or a process that is killed ends it.
  func sync() async throws {
    do {
      let summary = try await client.sync()
      healed += summary.healed + summary.differing
    } catch is Killed {
      try reopen()
    } catch let error as CallError {
      if case .problem = error { throw error }
    }
  }
}

/// A clock that can be set.
final class Skew: Sendable {
  private let milliseconds = Counter()

  init(_ seconds: Double) { add(seconds) }

  func add(_ seconds: Double) { milliseconds.add(Int(seconds * 1000)) }

  func source(_ right: TimeSource) -> TimeSource {
    TimeSource { right.now().advanced(bySeconds: Double(self.milliseconds.value) / 1000) }
  }
}

/// Some devices of one user that do something at random, go wrong at random, and are then left alone.
struct History {
  struct Result {
    var violations: [String] = []
    var operations = 0
    var faults = 0
    var kills = 0
  }

  let seed: UInt64
  private let host: ClientHost
  private let user: TestUser
  private let ledger = Ledger()
  private var devices: [SimulatedDevice] = []
  private var random: SplitMix
  /// Ids in the order in which they were made.
  private var sets: [StudySetID] = []
  private var cards: [CardID] = []
  private var words = 0
  private var invalid = 0

  private static let skews = [0, 0, 0, 20, -45, 3600, -86_400, 315_360_000, -315_360_000]

  /// - Parameter faultRate: How many of ten requests go wrong.
  static func run(
    _ seed: UInt64, on host: ClientHost, steps: Int, faultRate: Int = 3,
    tamper: @escaping @Sendable (inout SyncResponse) -> Void = { _ in }
  ) async throws -> Result {
    var history = try await History(seed, host, tamper)
    for _ in 0..<steps { try await history.step(faultRate) }
    return try await history.finish()
  }

  private init(_ seed: UInt64, _ host: ClientHost, _ tamper: @escaping @Sendable (inout SyncResponse) -> Void)
    async throws
  {
    (self.seed, self.host, random) = (seed, host, SplitMix(seed))
    user = try await host.user()
    for _ in 0..<Int.random(in: 2...4, using: &random) {
      let limits = StudyClient.Limits(
        operations: Int.random(in: 1...5, using: &random), page: Int.random(in: 1...6, using: &random))
      let skew = Self.skews.randomElement(using: &random) ?? 0
      devices.append(try SimulatedDevice(host, user, ledger, limits: limits, skew: Double(skew), tamper: tamper))
    }
  }

  // MARK: steps

  private mutating func step(_ faultRate: Int) async throws {
    host.test.time.advance(seconds: Double.random(in: 0.001...100, using: &random))
    let device = devices[Int.random(in: 0..<devices.count, using: &random)]
    switch Int.random(in: 0..<20, using: &random) {
    case 0...12: try await act(on: device)
    case 13: device.skew.add(Double([-7200, 600, 315_360_000, -315_360_000].randomElement(using: &random) ?? 0))
    case 14: try device.reopen()
    default:
      device.plan.plan((0..<4).map { _ in fault(faultRate) })
      try await device.sync()
      device.plan.plan([])
    }
  }

  private mutating func fault(_ rate: Int) -> Fault? {
    Int.random(in: 0..<10, using: &random) < rate ? Fault.allCases.randomElement(using: &random) : nil
  }

  private mutating func act(on device: SimulatedDevice) async throws {
    let client = device.client
    let set = sets.randomElement(using: &random)
    let card = cards.randomElement(using: &random)
    switch Int.random(in: 0..<12, using: &random) {
    case 0: sets.append(try await client.addSet(title: word()))
    case 1, 2:
      guard let set, try await client.set(set) != nil else { return }
      cards.append(try await client.addCard(to: set, front: word(), back: word()))
    case 3, 4, 5:
      guard let card = try await known(card, on: client) else { return }
      try await client.editCard(card.id, front: insert(into: card.front))
    case 6:
      guard let card = try await known(card, on: client) else { return }
      try await client.editCard(card.id, back: insert(into: card.back), tags: [word()])
    case 7:
      guard let card = try await known(card, on: client) else { return }
      try await client.deleteCard(card.id)
    case 8:
      guard let card, let record = try await client.record(.cards, card.rawValue), record.isDeleted else { return }
      try await client.restoreCard(card)
    case 9:
      guard let card = try await known(card, on: client), let set = card.set else { return }
      try await client.recordReview(of: card.id, in: set, rating: 3, milliseconds: 900, utcOffsetMinutes: 60)
    case 10: try await client.changeSettings(others: ["theme": .string(word())])
    default:
      guard let set, let known = try await client.set(set) else { return }
      switch Int.random(in: 0..<4, using: &random) {
      case 0: try await client.deleteSet(set)
      case 1:
        // The server rejects it.
        invalid += 1
        try await client.put(.sets, set.rawValue, ["tags": .string(word())])
      default: try await client.editSet(set, title: insert(into: known.title))
      }
    }
  }

  private func known(_ card: CardID?, on client: StudyClient) async throws -> LocalCard? {
    guard let card else { return nil }
    return try await client.card(card)
  }

  private mutating func word() -> String {
    words += 1
    return "w\(words)"
  }

  /// Inserts a word that no other edit has.
  private mutating func insert(into text: String) -> String {
    var parts = text.split(separator: " ").map(String.init)
    parts.insert(word(), at: Int.random(in: 0...parts.count, using: &random))
    return parts.joined(separator: " ")
  }

  // MARK: the end

  private mutating func finish() async throws -> Result {
    var result = Result()
    // Nothing goes wrong any more: one device after the other gets what all have done.
    for _ in 0..<2 {
      for device in devices { try await settle(device, &result) }
    }
    // Deleted sets are kept and come back.
    for set in sets { try await restore(.sets, set.rawValue) }
    for card in cards { try await restore(.cards, card.rawValue) }
    for _ in 0..<2 {
      for device in devices { try await settle(device, &result) }
    }
    try await compare(&result)
    result.operations = ledger.acceptedCount
    for device in devices {
      result.faults += device.plan.happened.value
      result.kills += device.kills
    }
    return result
  }

  private func settle(_ device: SimulatedDevice, _ result: inout Result) async throws {
    device.plan.plan([])
    do {
      let summary = try await device.client.sync()
      if !summary.healed.isEmpty { result.violations.append("a copy of \(summary.healed) had to be healed") }
    } catch {
      result.violations.append("wedged: \(error)")
    }
    let pending = try await device.client.pendingCount()
    if pending > 0 { result.violations.append("\(pending) operations are left") }
  }

  private func restore(_ collection: SyncCollection, _ id: String) async throws {
    guard let record = try await devices[0].client.record(collection, id), record.isDeleted else { return }
    try await devices[0].client.restore(collection, id)
  }

  private func compare(_ result: inout Result) async throws {
    // A new device has what the server has.
    let fresh = try SimulatedDevice(
      host, user, Ledger(), limits: StudyClient.Limits(), skew: 0, tamper: { _ in })
    try await settle(fresh, &result)
    let truth = try await fresh.client.content()
    result.violations += ledger.violations(in: truth)
    var refused: Set<String> = []
    for (number, device) in devices.enumerated() {
      let content = try await device.client.content()
      if content != truth { result.violations.append("device \(number) of \(devices.count) has something else") }
      if !device.healed.isEmpty { result.violations.append("a copy of \(device.healed) had to be healed") }
      refused.formUnion(try await device.client.refusedOperations().map(\.operation.id))
    }
    if refused != ledger.rejected { result.violations.append("refused operations are not shown") }
    if refused.count != invalid { result.violations.append("\(refused.count) refused, not \(invalid)") }
  }
}

/// The random numbers of one history.
struct SplitMix: RandomNumberGenerator {
  private var state: UInt64

  init(_ seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}

/// Random numbers for closures.
final class RandomNumbers: Sendable {
  private let state: Mutex<SplitMix>

  init(_ seed: UInt64) { state = Mutex(SplitMix(seed)) }

  func next() -> UInt64 { state.withLock { $0.next() } }
}
