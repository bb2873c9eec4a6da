import Contracts
import SyncMerge
import TestKit
import Testing

@testable import StudyClient

/// An app that is older than the server, and than other devices.
struct CompatibilityTests {
  /// Adds to every response what a newer server might.
  struct NewerServer: StudyTransport {
    let user: TestUser

    func synchronize(_ request: StudyAPI.Sync) async throws(CallError) -> SyncResponse {
      let response = try await user.client.synchronize(request)
      do {
        guard case .object(var members) = try JSONValue(response) else { return response }
        members.append(.init(name: "announcements", value: ["Version 9 is here"]))
        for index in members.indices {
          switch (members[index].name, members[index].value) {
          case ("changes", .array(let changes)):
            members[index].value = .array(
              changes.map(withMore) + [
                [
                  "collection": "podcasts", "id": "01890a5d-ac96-774b-bcce-b302099a8057",
                  "version": "0199a1b2c3d4-0001-9f8e7d6c5b4a3210", "fields": ["title": "Radio", "speed": 1],
                ]
              ])
          case ("checksums", .array(let checksums)):
            members[index].value = .array(
              checksums.map(withMore) + [["collection": "podcasts", "count": 7, "sum": "00000000000000ff"]])
          case ("results", .array(let results)): members[index].value = .array(results.map(withMore))
          default: break
          }
        }
        return try WireJSON.decode(SyncResponse.self, from: WireJSON.encode(JSONValue.object(members)))
      } catch {
        throw .unknown("\(error)")
      }
    }

    private func withMore(_ value: JSONValue) -> JSONValue {
      .object(value.members + [.init(name: "later", value: ["added": true])])
    }
  }

  @Test func whatANewerServerAddsIsKeptOrIgnored() async throws {
    try await ClientHost.run { host async throws in
      let ada = try await host.user()
      let old = try host.device(of: ada, transport: NewerServer(user: ada))
      let set = try await old.addSet(title: "Latin")
      let summary = try await old.sync()
      #expect(summary.differing == [])
      #expect(try await old.collections() == ["podcasts", "sets"])
      let podcast = try await old.read { tx in
        try tx.find(RecordKey(collection: "podcasts", id: "01890a5d-ac96-774b-bcce-b302099a8057"))
      }
      #expect(podcast?.server?["title"] == "Radio")
      #expect(try await old.set(set)?.title == "Latin")
      #expect(try await old.sync().differing == [])
    }
  }

  @Test func fieldsOfANewerAppSurviveAnEditByAnOlderOne() async throws {
    try await ClientHost.run { host async throws in
      let ada = try await host.user()
      let (old, new) = (try host.device(of: ada), try host.device(of: ada))
      let set = try await new.addSet(title: "Latin")
      let card = try await new.addCard(to: set, front: "aqua", back: "water")
      try await new.put(.cards, card.rawValue, ["hint": ["image": "cloud", "levels": [1, 2]]])
      try await new.sync()
      try await old.sync()
      try await old.editCard(card, back: "fresh water")
      try await old.sync()
      try await new.sync()
      #expect(try await new.record(.cards, card.rawValue)?["hint"] == ["image": "cloud", "levels": [1, 2]])
      #expect(try await new.card(card)?.back == "fresh water")
      #expect(try await new.content() == old.content())
    }
  }

  @Test func wordsOfANewerServerDoNotEndTheSynchronization() throws {
    func result(_ status: String, _ members: [(String, JSONValue?)] = []) throws -> SyncResult {
      let json = JSONValue.object([("operation", "1"), ("status", .string(status))] + members)
      return try WireJSON.decode(SyncResult.self, from: WireJSON.encode(json))
    }
    #expect(try result("postponed").status == .applied)
    let record = JSONValue.object([
      ("collection", "sets"), ("id", "01890a5d-ac96-774b-bcce-b302099a8057"),
      ("version", "0199a1b2c3d4-0001-9f8e7d6c5b4a3210"), ("fields", ["title": "Latin"]),
    ])
    #expect(try result("postponed", [("record", record)]).status == .merged)
    #expect(try result("merged", [("conflict", "quarrel"), ("record", record)]).conflict == nil)
    #expect(try result("merged", [("conflict", "text"), ("record", record)]).conflict == .text)
    #expect(try result("rejected").status == .rejected)
  }
}
