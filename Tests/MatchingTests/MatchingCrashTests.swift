import Contracts
import CurlClient
import Foundation
import Persistence
import TestKit
import Testing

/// Matching is killed repeatedly while people like each other and talk: no match is lost or doubled, and no message is
/// missing from its sequence.
@Suite(.serialized, .timeLimit(.minutes(60)))
struct MatchingCrashTests {
  private static let people = 10
  private static let kills = 8
  private static let messages = 12

  private let answered = Counter()

  @Test func matchesAndMessagesSurviveKills() async throws {
    try await TemporaryFolder.run { folder async throws in
      var generator = SeededGenerator()
      let settings = ["LIMITS_SIGN_IN": "0/1", "LIMITS_GUESTS": "0/1", "LIMITS_READ": "0/1", "LIMITS_WRITE": "0/1"]
      try await ServiceProcesses.run(["auth", "matching"], folder: folder, settings: settings) { services in
        try await CurlClient.running { curl in
          let client = APIClient(transport: CurlTransport(client: curl, origin: await services.url))
          let people = try await roommates(client)
          let pairs = people.indices.flatMap { first in people.indices.dropFirst(first + 1).map { (first, $0) } }
          let total = 2 * pairs.count + people.count * Self.messages
          let moments = (0..<Self.kills).map { _ in Int.random(in: 1..<total, using: &generator) }.sorted()
          let order = pairs.flatMap { [($0.0, $0.1), ($0.1, $0.0)] }.shuffled(using: &generator)
          try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
              for moment in moments {
                // Every request ends, with a response or an error; how long it takes depends on the machine.
                while answered.value < moment { try await Task.sleep(for: .seconds(0.02)) }
                try await services.restart("matching")
              }
            }
            group.addTask { try await like(order, people) }
            for number in stride(from: 0, to: people.count, by: 2) {
              group.addTask { try await talk(people[number], people[number + 1]) }
            }
            for try await _ in group {}
          }
          try await expectEveryMatch(among: people)
          try await expectNotifiedOnce(in: folder, pairs.count, generator)
        }
      }
    }
  }

  private func insist<E: Endpoint>(_ request: E, _ person: TestUser) async throws -> E.Response {
    defer { answered.add() }
    return try await person.insist(request)
  }

  private func roommates(_ client: APIClient) async throws -> [TestUser] {
    var people: [TestUser] = []
    for number in 0..<Self.people {
      let person = TestUser(try await client.signUp("mate\(number)", app: .roomi), client)
      _ = try await person.client.send(MatchingAPI.PutRoommateProfile.complete())
      people.append(person)
    }
    return people
  }

  /// Sends every like twice, as apps do that got no answer.
  private func like(_ order: [(Int, Int)], _ people: [TestUser]) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for lane in 0..<4 {
        group.addTask {
          for position in stride(from: lane, to: order.count, by: 4) {
            let (from, to) = order[position]
            let like = MatchingAPI.SwipeRoommate(userID: people[to].id, decision: .like)
            _ = try await insist(like, people[from])
            _ = try await people[from].insist(like)
          }
        }
      }
      for try await _ in group {}
    }
  }

  /// Both write at the same time, each message until it is answered.
  private func talk(_ one: TestUser, _ other: TestUser) async throws {
    let conversation = try await one.insist(MatchingAPI.StartConversation(userID: other.id))
    _ = try await other.insist(MatchingAPI.AcceptConversation(id: conversation.id))
    var expected: Set<MessageID> = []
    let ids = IDGenerator()
    var mine: [[MessageID]] = []
    for _ in 0..<2 { mine.append((0..<Self.messages).map { _ in ids.make() }) }
    for id in mine.joined() { expected.insert(id) }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (person, messages) in zip([one, other], mine) {
        group.addTask {
          for id in messages {
            let text = MessageText(checked: "Message \(id)")
            let sent = try await insist(
              MatchingAPI.SendMessage(id: conversation.id, messageID: id, text: text), person)
            #expect(sent.id == id)
          }
        }
      }
      for try await _ in group {}
    }
    let page = try await one.insist(
      MatchingAPI.ListMessages(id: conversation.id, after: 0, limit: PageSize(checked: 100)))
    #expect(page.items.map(\.sequence) == Array(1...2 * Self.messages))
    #expect(Set(page.items.map(\.id)) == expected)
  }

  private func expectEveryMatch(among people: [TestUser]) async throws {
    for person in people {
      let page = try await person.insist(MatchingAPI.ListRoommateMatches(limit: PageSize(checked: 100)))
      let others = people.map(\.id.rawValue).filter { $0 != person.id.rawValue }.sorted()
      #expect(page.items.map(\.userID.rawValue).sorted() == others)
    }
  }

  /// Each of the two people of a match has been sent one event about it.
  private func expectNotifiedOnce(in folder: String, _ matches: Int, _ generator: SeededGenerator) async throws {
    let gateway = try SQLiteDatabase(path: "\(folder)/gateway.sqlite")
    func counts() async throws -> [Int] {
      try await gateway.read { db in
        try db.all(
          "SELECT COUNT(*) AS count FROM realtime_log WHERE name = 'roommate.matched' GROUP BY subject, data"
        ) { row -> Int in try row["count"] }
      }
    }
    try await eventually("all matches are announced") { try await counts().count >= 2 * matches }
    #expect(try await counts() == Array(repeating: 1, count: 2 * matches), "\(generator)")
    await gateway.close()
  }
}
