import AuthService
import Contracts
import Foundation
import GatewayService
import MatchingService
import Persistence
import ServiceKit
import Synchronization

/// Durable messages of many senders into many conversations, through the router of matching in this process: tokens,
/// limits, encryption, one transaction each. Nothing follows the events, so their delivery is not part of it.
enum MessageBenchmark {
  private static let users = 64
  private static let partners = 8
  private static let lanes = 128
  private static let count = 60_000

  /// - Parameter databaseURL: An empty PostgreSQL database; SQLite by default.
  static func run(databaseURL: String? = nil) async throws {
    let folder = FileManager.default.currentDirectoryPath + "/.build/benchmark-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: folder) }
    var settings = [
      "data": folder, "log.level": "error", "limits.signIn": "0/1", "matching.messages": "0/1",
      "auth.accessTokenSeconds": "3600",
    ]
    if let databaseURL {
      settings["database.url"] = databaseURL
      settings["data.keys"] = ["a", "lookup"].enumerated().map { index, name in
        "\(name):\(Data(repeating: UInt8(index + 1), count: 32).base64EncodedString())"
      }.joined(separator: ",")
    }
    let platform = try await ServiceHost.build(
      [GatewayPlugin.self, AuthPlugin.self, MatchingPlugin.self], settings: Settings(settings))
    try await measure(platform, on: databaseURL == nil ? "sqlite" : "postgresql")
    await platform.close()
  }

  private struct Sender: Sendable {
    var id: UserID
    var client: APIClient
    var conversations: [ConversationID] = []
  }

  private final class Tally: Sendable {
    let next = Atomic<Int>(0)
    let latencies = Mutex<[Double]>([])
  }

  private static func measure(_ platform: Platform, on database: String) async throws {
    let senders = try await senders(platform)
    let text = try MessageText(
      validating: "Is the room still free? I could come by on Thursday after six and have a look.")
    let (ids, tally) = (IDGenerator(), Tally())
    try await Benchmarks.measure("messages-\(database)", count: count) {
      try await withThrowingTaskGroup(of: Void.self) { group in
        for lane in 0..<lanes {
          group.addTask {
            let sender = senders[lane % senders.count]
            var own: [Double] = []
            while true {
              let number = tally.next.add(1, ordering: .relaxed).newValue
              guard number <= count else { break }
              let conversation = sender.conversations[number % sender.conversations.count]
              let start = Date()
              _ = try await sender.client.send(
                MatchingAPI.SendMessage(id: conversation, messageID: ids.make(), text: text))
              own.append(Date().timeIntervalSince(start) * 1000)
            }
            tally.latencies.withLock { $0 += own }
          }
        }
        try await group.waitForAll()
      }
    }
    let sorted = tally.latencies.withLock { $0.sorted() }
    print("messages-\(database)-p50 \(Benchmarks.format(Benchmarks.percentile(sorted, 0.5))) ms")
    print("messages-\(database)-p99 \(Benchmarks.format(Benchmarks.percentile(sorted, 0.99))) ms")
    try await check(senders)
  }

  /// Users who each talk with some of the others.
  private static func senders(_ platform: Platform) async throws -> [Sender] {
    let (auth, matching) = (platform.client(of: AuthAPI.name), platform.client(of: MatchingAPI.name))
    var senders: [Sender] = []
    for number in 0..<users {
      let signed = try await auth.send(
        AuthAPI.SignUp(
          email: EmailAddress(validating: "user\(number)@example.com"), username: Username(validating: "user\(number)"),
          displayName: DisplayName(validating: "user\(number)"), password: Password(validating: "correct horse battery")
        )
      )
      senders.append(Sender(id: signed.user.id, client: matching.with(accessToken: signed.accessToken)))
    }
    for one in 0..<users {
      for step in 1...(partners / 2) {
        let other = (one + step) % users
        // Each turns to the other, so that it is no request.
        _ = try await senders[one].client.send(MatchingAPI.StartConversation(userID: senders[other].id))
        let conversation = try await senders[other].client.send(MatchingAPI.StartConversation(userID: senders[one].id))
        senders[one].conversations.append(conversation.id)
        senders[other].conversations.append(conversation.id)
      }
    }
    return senders
  }

  /// Every message is stored, in sequences without gaps.
  private static func check(_ senders: [Sender]) async throws {
    var latest: [ConversationID: Int] = [:]
    for sender in senders {
      let list = try await sender.client.send(MatchingAPI.ListConversations(limit: PageSize(checked: 100))).items
      for conversation in list { latest[conversation.id] = conversation.lastSequence }
    }
    print("messages-stored \(latest.values.reduce(0, +)) of-\(count) in \(latest.count) conversations")
  }
}
