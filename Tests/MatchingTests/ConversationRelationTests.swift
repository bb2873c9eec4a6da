import Contracts
import Persistence
import ServiceKit
import TestKit
import Testing

@testable import MatchingService

/// Blocks and connections decide over conversations.
@Suite(.serialized)
struct ConversationRelationTests {
  private static func block(_ host: ConversationHost, _ user: TestUser, _ other: TestUser) async throws {
    #expect(try await host.test.send(.put, "/v1/blocks/\(other.id)", by: user).status == 204)
  }

  private static func connect(_ host: ConversationHost, _ one: TestUser, _ other: TestUser) async throws {
    for (user, other) in [(one, other), (other, one)] {
      let body = #"{"userID":"\#(other.id)"}"#
      #expect(try await host.test.send(.post, "/v1/connections", body, by: user).status == 200)
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func aBlockClosesConversations(_ database: TestDatabase) async throws {
    try await ConversationHost.run(database) { host async throws in
      let users = try await host.users("ada", "bob")
      let (ada, bob) = (users[0], users[1])
      let id = try await host.talk(ada, bob)
      try await host.send("Before", ada, id)
      try await Self.block(host, bob, ada)
      for (user, other) in [(ada, bob), (bob, ada)] {
        #expect(try await code { try await host.send("After", user, id) } == "conversation-closed")
        // As for an unknown user.
        #expect(try await code { _ = try await host.start(user, other) } == "user-not-found")
        #expect(
          try await user.client.send(MatchingAPI.GetPresence(users: UserList([other.id]))).items.map(\.status) == [
            .away
          ])
        #expect(try await host.messages(id, user).map(\.text) == ["Before"])
      }
      // Unblocking restores nothing: what follows is another conversation, of strangers.
      #expect(try await host.test.send(.delete, "/v1/blocks/\(ada.id)", by: bob).status == 204)
      let next = try await host.start(ada, bob)
      #expect(next.id != id)
      #expect(next.isPending)
      #expect(try await host.get(id, ada).isClosed)
    }
  }

  @Test("SD12: students reach the inbox of students and instructors of their course", arguments: TestDatabase.allCases)
  func coursesReachTheInbox(_ database: TestDatabase) async throws {
    try await ConversationHost.run(database) { host async throws in
      let users = try await host.users("ada", "bob", "eve", "ivy")
      let (ada, bob, eve, ivy) = (users[0], users[1], users[2], users[3])
      let (course, other): (CourseID, CourseID) = (host.test.ids.make(), host.test.ids.make())
      func deliver(_ user: TestUser, _ course: CourseID, _ role: CourseRole?) async throws {
        try await host.deliver(
          CourseMembershipChanged(courseID: course, userID: user.id, role: role), from: StudyAPI.self)
      }
      for (user, role) in [(ada, CourseRole.student), (bob, .student), (ivy, .instructor)] {
        try await deliver(user, course, role)
      }
      try await deliver(eve, other, .student)
      for member in [bob, ivy] {
        let id = try await host.start(ada, member).id
        try await host.send("When is the test?", ada, id)
        #expect(try await host.inbox(member).map(\.unreadCount) == [1])
      }
      #expect(try await host.start(ada, eve).isPending)
      // A former member of the course is a stranger again.
      try await deliver(bob, course, nil)
      #expect(try await host.start(ivy, bob).isPending)
      // A block is stronger than a course.
      let zoe = try await host.users("zoe")[0]
      try await deliver(zoe, course, .student)
      try await Self.block(host, zoe, ada)
      #expect(try await code { _ = try await host.start(ada, zoe) } == "user-not-found")
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func connectionsReachTheInbox(_ database: TestDatabase) async throws {
    try await ConversationHost.run(database) { host async throws in
      let users = try await host.users("ada", "bob", "eve")
      let (ada, bob, eve) = (users[0], users[1], users[2])
      try await Self.connect(host, ada, bob)
      let id = try await host.start(ada, bob).id
      for number in 1...4 { try await host.send("\(number)", ada, id) }
      #expect(try await host.inbox(bob).map(\.unreadCount) == [4])
      #expect(
        try await ada.client.send(MatchingAPI.GetPresence(users: UserList([bob.id]))).items.map(\.status) == [.active])

      // A request ends when its users have come to know each other.
      let request = try await host.start(ada, eve).id
      for number in 1...3 { try await host.send("\(number)", ada, request) }
      try await Self.connect(host, ada, eve)
      try await host.send("4", ada, request)
      #expect(try await host.inbox(eve).map(\.unreadCount) == [4])
    }
  }

  /// In a closed conversation, a block looks like a deleted account; authors still see what they wrote.
  @Test(arguments: TestDatabase.allCases)
  func aClosedConversationDoesNotShowTheOther(_ database: TestDatabase) async throws {
    try await ConversationHost.run(database) { host async throws in
      let users = try await host.users("ada", "bob")
      let (ada, bob) = (users[0], users[1])
      let support = try await host.user("support", [.support])
      let id = try await host.talk(ada, bob)
      let mine = try await host.send("Of Ada", ada, id)
      let bad = try await host.send("Of Bob", bob, id)
      for user in users {
        _ = try await user.client.send(
          MatchingAPI.AddReaction(id: id, messageID: mine.id, emoji: Emoji(checked: "👍")))
      }
      try await Self.block(host, bob, ada)
      for user in users {
        let own = user.id == ada.id ? [ada.id, nil] : [nil, bob.id]
        let messages = try await host.messages(id, user)
        #expect(messages.map(\.authorID) == own)
        #expect(messages[0].reactions.map(\.users) == [[user.id]])
        let search = MatchingAPI.SearchMessages(query: ShortText(checked: "of"))
        #expect(try await user.client.send(search).items.map(\.authorID) == own.reversed())
        let seen = [try await host.get(id, user)] + (try await host.inbox(user))
        #expect(seen.map(\.participants) == [[], []])
        #expect(seen.map(\.lastMessage?.authorID) == [own[1], own[1]])
        #expect(try await host.export("conversations", of: user.id)?.elements.map { $0["with"]?.string } == [nil])
      }
      // The author is still known to support.
      _ = try await ada.client.send(
        MatchingAPI.ReportMessages(id: id, messageIDs: [bad.id], reason: .harassment), idempotencyKey: "k")
      let report = try await support.client.send(MatchingAPI.ListMessageReports()).items.first
      #expect(report?.reportedID == bob.id)
      #expect(report?.messages.map(\.authorID) == [bob.id])
    }
  }

  /// A connection moves a request without a further message.
  @Test(arguments: TestDatabase.allCases)
  func aConnectionAcceptsRequests(_ database: TestDatabase) async throws {
    try await ConversationHost.run(database) { host async throws in
      let users = try await host.users("ada", "bob", "eve")
      let (ada, bob, eve) = (users[0], users[1], users[2])
      let ids = [try await host.start(ada, bob).id, try await host.start(ada, bob, about: host.test.ids.make()).id]
      let foreign = try await host.start(eve, bob).id
      for id in ids { try await host.send("Hi", ada, id) }
      try await host.send("Hi", eve, foreign)
      #expect(try await host.inbox(bob).isEmpty)
      try await Self.connect(host, ada, bob)
      #expect(Set(try await host.inbox(bob).map(\.id)) == Set(ids))
      #expect(try await host.inbox(bob, .requests).map(\.id) == [foreign])
      #expect(try await !host.get(ids[0], ada).isPending)
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func aMatchAcceptsRequests(_ database: TestDatabase) async throws {
    try await ConversationHost.run(database) { host async throws in
      let users = try await host.users("ada", "bob")
      for user in users { _ = try await user.client.send(MatchingAPI.PutRoommateProfile.complete()) }
      let id = try await host.start(users[0], users[1]).id
      try await host.send("Hi", users[0], id)
      for (user, other) in [(users[0], users[1]), (users[1], users[0])] {
        #expect(try await host.inbox(users[1]).isEmpty)
        _ = try await user.client.send(MatchingAPI.SwipeRoommate(userID: other.id, decision: .like))
      }
      #expect(try await host.inbox(users[1]).map(\.id) == [id])
    }
  }

  /// More than a statement can list on PostgreSQL.
  @Test(arguments: TestDatabase.allCases)
  func aBlockAndADeletionEndAnyNumberOfConversations(_ database: TestDatabase) async throws {
    try await ConversationHost.run(database) { host async throws in
      let users = try await host.users("ada", "bob", "eve")
      let (ada, bob, eve) = (users[0], users[1], users[2])
      let count = 33_000
      for (number, other) in [(1, bob), (2, eve)] {
        try await Self.addConversations(count, numbered: number, ada, other, host)
      }
      let open: SQL = "SELECT COUNT(*) FROM conversations WHERE closed_at IS NULL"
      try await Self.block(host, bob, ada)
      #expect(try await host.count(open) == count)
      let ended = try await host.events(TopicAccessEnded.self).filter { $0.topics.first?.kind == "conversation" }
      #expect(Set(ended.flatMap(\.topics)).count == count)
      #expect(ended.allSatisfy { $0.topics.count <= 50 })
      try await host.deliver(UserDeleted(userID: ada.id), from: AuthAPI.self)
      #expect(try await host.count(open) == 0)
      for user in [bob, eve] { try await host.deliver(UserDeleted(userID: user.id), from: AuthAPI.self) }
      #expect(try await host.count("SELECT COUNT(*) FROM conversations") == 0)
    }
  }

  private static func addConversations(
    _ count: Int, numbered group: Int, _ one: TestUser, _ other: TestUser, _ host: ConversationHost
  ) async throws {
    let prefix = "0000000\(group)-0000-7000-8000-"
    try await host.database.write { tx in
      try tx.execute(
        """
        INSERT INTO conversations (id, pair, last_sequence, created_at)
        WITH RECURSIVE numbers (number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM numbers WHERE number < \(count))
        SELECT \(prefix) || substr(CAST(1000000000000 + number AS TEXT), 2),
          \(prefix) || CAST(number AS TEXT), 0, 0
        FROM numbers
        """
      )
      for user in [one, other] {
        try tx.execute(
          """
          INSERT INTO conversation_participants
            (conversation_id, user_id, folder, is_hidden, delivered_to, read_to, last_at, pushed_at)
          SELECT id, \(user.id), 'inbox', 0, 0, 0, created_at, 0 FROM conversations WHERE id LIKE \("\(prefix)%")
          """
        )
      }
    }
  }

  /// Without auth, someone who has blocked the caller is answered as anyone else of whom nothing is known.
  @Test func aBlockIsNotSeenWhileAuthIsDown() async throws {
    try await ConversationHost.run { host async throws in
      let users = try await host.users("ada", "bob", "eve")
      try await Self.block(host, users[1], users[0])
      try await host.test.database(of: AuthAPI.self).close()
      let refusals = [
        try await problem { _ = try await host.start(users[0], users[1]) },
        try await problem { _ = try await host.start(users[0], users[2]) },
      ]
      #expect(refusals.map { $0?.code } == ["unavailable", "unavailable"])
      #expect(refusals[0]?.retryAfter == refusals[1]?.retryAfter)
    }
  }
}
