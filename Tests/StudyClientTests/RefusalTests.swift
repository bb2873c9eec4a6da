import Contracts
import TestKit
import Testing

@testable import StudyClient

/// Operations that the server does not take.
struct RefusalTests {
  @Test func aRefusedOperationIsListedAndBlocksNothing() async throws {
    try await ClientHost.run { host async throws in
      let ada = try await host.user()
      let phone = try host.device(of: ada)
      let set = try await phone.addSet(title: "Latin")
      try await phone.sync()
      try await phone.put(.sets, set.rawValue, ["tags": "no list"])
      let card = try await phone.addCard(to: set, front: "aqua", back: "water")
      let summary = try await phone.sync()
      #expect(summary.refusedOperations == 1)
      #expect(try await phone.pendingCount() == 0)
      let refused = try await phone.refusedOperations()
      #expect(refused.map(\.code) == ["invalid-value"])
      #expect(refused.map(\.field) == ["fields.tags"])
      // It is no longer shown as if it had been taken.
      #expect(try await phone.record(.sets, set.rawValue)?["tags"] == nil)
      let tablet = try host.device(of: ada)
      try await tablet.sync()
      #expect(try await tablet.card(card)?.front == "aqua")

      try await phone.dismissRefused(refused[0].operation.id)
      #expect(try await phone.refusedOperations() == [])
    }
  }

  /// A request that is refused as a whole, as for one operation that some proxy or newer server does not like.
  @Test(arguments: [400, 413, 422])
  func anOperationThatFailsTheWholeRequestIsFound(_ status: Int) async throws {
    try await ClientHost.run { host async throws in
      let ada = try await host.user()
      let transport = PickyTransport(user: ada, status: status) { $0.fields?["back"] == "poison" }
      let phone = try host.device(of: ada, transport: transport)
      let set = try await phone.addSet(title: "Latin")
      for number in 0..<20 {
        _ = try await phone.addCard(to: set, front: "card \(number)", back: number == 13 ? "poison" : "fine")
      }
      let summary = try await phone.sync()
      #expect(summary.refusedOperations == 1)
      #expect(try await phone.pendingCount() == 0)
      #expect(try await phone.refusedOperations().map { $0.operation.fields?["front"] } == ["card 13"])
      #expect(try await phone.cards(in: set).count == 19)
    }
  }

  @Test func operationsOnTooMuchAtOnceAreSentInParts() async throws {
    try await ClientHost.run { host async throws in
      let ada = try await host.user()
      let phone = try host.device(of: ada)
      let set = try await phone.addSet(title: "Latin")
      let filler = JSONValue.string(String(repeating: "x", count: 60_000))
      var cards: [CardID] = []
      // About 240 KB each.
      for number in 0..<40 {
        let card = try await phone.addCard(to: set, front: "card \(number)", back: "")
        for part in 0..<4 {
          try await phone.put(.cards, card.rawValue, SyncFields([.init(name: "part\(part)", value: filler)]))
        }
        cards.append(card)
      }
      try await phone.sync()
      for card in cards { try await phone.put(.cards, card.rawValue, ["tags": ["noun"]]) }
      let summary = try await phone.sync()
      #expect(summary.requests > 1)
      #expect(summary.sentOperations == 40)
      #expect(summary.refusedOperations == 0)
      #expect(summary.differing == [])
      #expect(try await phone.pendingCount() == 0)
    }
  }

  /// When nothing at all is taken, it is not the fault of an operation.
  @Test func aServerThatRefusesEverythingTakesNothingFromTheQueue() async throws {
    try await ClientHost.run { host async throws in
      let ada = try await host.user()
      let path = try host.newFile()
      let phone = try host.open(path, of: ada)
      try await phone.sync()
      _ = try await phone.addSet(title: "Latin")
      let refusing = try host.open(path, of: ada, transport: PickyTransport(user: ada, status: 422, isBad: nil))
      await #expect(throws: CallError.self) { try await refusing.sync() }
      #expect(try await phone.pendingCount() == 1)
      #expect(try await phone.refusedOperations() == [])
      try await phone.sync()
      #expect(try await phone.pendingCount() == 0)
    }
  }

  @Test func aRefusedOperationCanBeTriedAgain() async throws {
    try await ClientHost.run { host async throws in
      let ada = try await host.user()
      let path = try host.newFile()
      let picky = try host.open(path, of: ada, transport: PickyTransport(user: ada, status: 422) { _ in true })
      let set = try await picky.addSet(title: "Latin")
      try await picky.sync()
      #expect(try await picky.set(set) == nil)
      let refused = try await picky.refusedOperations()
      #expect(refused.count == 1)

      let phone = try host.open(path, of: ada)
      try await phone.retryRefused(refused[0].operation.id)
      try await phone.sync()
      #expect(try await phone.refusedOperations() == [])
      #expect(try await phone.set(set)?.title == "Latin")
      #expect(try await phone.set(set)?.record.isPending == false)
    }
  }
}

/// Refuses requests that contain a certain operation, or all.
struct PickyTransport: StudyTransport {
  let user: TestUser
  let status: Int
  let isBad: (@Sendable (SyncOperation) -> Bool)?

  func synchronize(_ request: StudyAPI.Sync) async throws(CallError) -> SyncResponse {
    let isRefused = (request.operations ?? []).contains {
      if case .valid(let operation) = $0 { isBad?(operation) ?? true } else { false }
    }
    if isRefused || isBad == nil {
      let kind = Problem.Kind(
        "refused", status: status, "The request is refused", meaning: "A test wants it so.", remedy: "None.")
      throw .problem(Problem(kind))
    }
    return try await user.client.synchronize(request)
  }
}
