import Contracts
import Persistence
import ServiceKit
import TestKit
import Testing

@testable import MatchingService

/// The senders who reach an inbox, and what strangers can do.
@Suite(.serialized)
struct ConversationRequestTests {
  @Test(arguments: TestDatabase.allCases)
  func strangersReachTheRequests(_ database: TestDatabase) async throws {
    try await ConversationHost.run(database) { host async throws in
      let users = try await host.users("ada", "bob")
      let (ada, bob) = (users[0], users[1])
      let started = try await host.start(ada, bob)
      #expect(started.folder == .inbox)
      #expect(started.isPending)
      #expect(started.participants.first?.name?.displayName == "The bob")
      // The recipient sees nothing before the first message.
      #expect(try await host.inbox(bob, .requests).isEmpty)
      host.time.advance(seconds: 61)
      for number in 1...3 { try await host.send("\(number)", ada, started.id) }
      #expect(try await code { try await host.send("4", ada, started.id) } == "request-unanswered")
      #expect(try await host.inbox(bob).isEmpty)
      let request = try #require(try await host.inbox(bob, .requests).first)
      #expect(request.id == started.id)
      #expect(request.unreadCount == 3)
      #expect(try await host.pushes(to: bob).map(\.title) == ["New message request"])

      // The sender sees neither whether it was read nor whether the recipient is active.
      _ = try await host.read(started.id, bob, upTo: 3)
      let seen = try await host.get(started.id, ada)
      #expect(seen.participants.map(\.readUpTo) == [nil])
      #expect(seen.participants.map(\.deliveredUpTo) == [nil])
      #expect(!seen.isActive)
      #expect(
        try await ada.client.send(MatchingAPI.GetPresence(users: UserList([bob.id]))).items.map(\.status) == [.away])
      #expect(try await host.topicEvents("conversation.read").isEmpty)
      let react = MatchingAPI.AddReaction(
        id: started.id, messageID: try #require(request.lastMessage?.id), emoji: Emoji(checked: "👍"))
      #expect(try await code { _ = try await ada.client.send(react) } == "request-unanswered")

      // An answer accepts.
      try await host.send("Hello", bob, started.id)
      #expect(try await host.inbox(bob, .requests).isEmpty)
      #expect(try await host.inbox(bob).map(\.id) == [started.id])
      try await host.send("4", ada, started.id)
      let accepted = try await host.get(started.id, ada)
      #expect(!accepted.isPending)
      #expect(accepted.isActive)
      #expect(accepted.participants.map(\.readUpTo) == [4])
    }
  }

  /// The answer to the gateway: a topic belongs to those who can read its conversation while it is open.
  @Test(arguments: TestDatabase.allCases)
  func readersMayFollowOpenConversations(_ database: TestDatabase) async throws {
    try await ConversationHost.run(database) { host async throws in
      let users = try await host.users("ada", "bob", "eve")
      let (ada, bob, eve) = (users[0], users[1], users[2])
      let gateway = host.test.platform.client(of: MatchingAPI.self, as: GatewayAPI.name)
      let open = try await host.talk(ada, bob)
      let request = try await host.start(ada, eve).id
      try await host.send("Hi", ada, request)
      let (conversation, requested) = (Topic("conversation", open.rawValue), Topic("conversation", request.rawValue))
      func allowed(_ user: TestUser) async throws -> [Topic] {
        let others = [
          Topic("conversation", open.rawValue, "x"), Topic("conversation", host.test.ids.text()),
          Topic("conversation", "x"),
        ]
        let question = TopicsAPI.Authorize(user: user.id, roles: [.user], topics: [conversation, requested] + others)
        return try await gateway.send(question).topics
      }
      #expect(try await allowed(ada) == [conversation, requested])
      #expect(try await allowed(bob) == [conversation])
      #expect(try await allowed(eve) == [requested])

      // A user who declines a request may no longer follow it; the sender does not notice.
      _ = try await eve.client.send(MatchingAPI.HideConversation(id: request))
      #expect(try await allowed(eve) == [])
      #expect(try await allowed(ada) == [conversation, requested])
      let ended = try await host.events(TopicAccessEnded.self)
      #expect(ended.map(\.topics) == [[requested]])
      #expect(ended.map(\.user) == [eve.id])

      try await host.end(ada, bob)
      #expect(try await allowed(ada) == [requested])
      #expect(try await allowed(bob) == [])
      let matching = host.test.platform.client(of: MatchingAPI.self, as: AuthAPI.name)
      let question = TopicsAPI.Authorize(user: ada.id, roles: [.user], topics: [requested])
      #expect(try await code { _ = try await matching.send(question) } == "service-not-allowed")
    }
  }

  @Test func aRequestIsAccepted() async throws {
    try await ConversationHost.run { host async throws in
      let users = try await host.users("ada", "bob", "eve")
      let (ada, bob, eve) = (users[0], users[1], users[2])
      let id = try await host.start(ada, bob).id
      try await host.send("Hi", ada, id)
      let accept = MatchingAPI.AcceptConversation(id: id)
      #expect(try await code { _ = try await eve.client.send(accept) } == "conversation-not-found")
      for _ in 0..<2 { #expect(try await bob.client.send(accept).folder == .inbox) }
      #expect(try await !host.get(id, ada).isPending)
      #expect(try await host.topicEvents("conversation.changed").count == 1)
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func aDeletedRequestStaysAway(_ database: TestDatabase) async throws {
    try await ConversationHost.run(database) { host async throws in
      let users = try await host.users("ada", "bob")
      let (ada, bob) = (users[0], users[1])
      let id = try await host.start(ada, bob).id
      try await host.send("Hi", ada, id)
      _ = try await bob.client.send(MatchingAPI.HideConversation(id: id))
      #expect(try await host.inbox(bob, .requests).isEmpty)
      // The sender notices nothing, and nothing arrives.
      try await host.send("Hello?", ada, id)
      #expect(try await host.inbox(bob, .requests).isEmpty)
      #expect(try await host.topicEvents("message.sent").map(\.users) == [[bob.id], []])
      #expect(try await host.pushes(to: bob).count == 1)
      #expect(try await host.get(id, ada).isPending)
      try await host.send("3", ada, id)
      #expect(try await code { try await host.send("4", ada, id) } == "request-unanswered")
      // The recipient can still turn to the sender.
      #expect(try await host.start(bob, ada).id == id)
      try await host.send("4", ada, id)
      #expect(try await host.inbox(bob).map(\.unreadCount) == [4])
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func aPairHasOneConversationForEachSubject(_ database: TestDatabase) async throws {
    try await ConversationHost.run(database) { host async throws in
      let users = try await host.users("ada", "bob")
      let listing: ListingID = host.test.ids.make()
      let ids = try await concurrently(0..<12) { number in
        try await host.start(users[number % 2], users[1 - number % 2], about: number % 3 == 0 ? listing : nil).id
      }
      #expect(Set(ids).count == 2)
      #expect(try await host.count("SELECT COUNT(*) FROM conversations") == 2)
      #expect(try await host.count("SELECT COUNT(*) FROM conversation_participants") == 4)
      #expect(Set(try await host.inbox(users[0]).map(\.listingID)) == [listing, nil])
    }
  }

  @Test func noConversationWithOneselfGuestsOrUnknownUsers() async throws {
    try await ConversationHost.run { host async throws in
      let ada = try await host.user("ada")
      #expect(try await code { _ = try await host.start(ada, ada) } == "invalid-request")
      let unknown = MatchingAPI.StartConversation(userID: host.test.ids.make())
      #expect(try await code { _ = try await ada.client.send(unknown) } == "user-not-found")
      let guest = try await host.user(host.test.ids.make(), [.guest])
      #expect(try await code { _ = try await host.start(guest, ada) } == "forbidden")
      #expect(try await host.count("SELECT COUNT(*) FROM conversations") == 0)
    }
  }

  @Test func studentsReachInstructors() async throws {
    try await ConversationHost.run { host async throws in
      let teacher = try await host.user("teacher", [.instructor])
      let student = try await host.user("student", app: .letustudy)
      let other = try await host.user("other", app: .roomi)
      #expect(try await !host.start(student, teacher).isPending)
      #expect(try await host.start(other, teacher).isPending)
      // Being a student is no way to other students.
      #expect(try await host.start(student, other).isPending)
    }
  }

  @Test func conversationsWithStrangersAreLimited() async throws {
    try await ConversationHost.run { host async throws in
      let ada = try await host.user("ada")
      var refusals: [String?] = []
      let bob = try await host.user("bob")
      for _ in 0..<21 {
        let listing: ListingID = host.test.ids.make()
        refusals.append(try await code { _ = try await host.start(ada, bob, about: listing) })
      }
      #expect(refusals.prefix(20).allSatisfy { $0 == nil })
      #expect(refusals.last == "too-many-requests")
      host.time.advance(seconds: 3600)
      _ = try await host.start(ada, bob)
    }
  }

  @Test func pushesAreNeutralAndRare() async throws {
    try await ConversationHost.run { host async throws in
      let users = try await host.users("ada", "bob")
      let id = try await host.talk(users[0], users[1])
      // An active recipient needs none.
      try await host.send("Secret 0", users[0], id)
      #expect(try await host.pushes(to: users[1]).isEmpty)
      host.time.advance(seconds: 61)
      for number in 1...3 { try await host.send("Secret \(number)", users[0], id) }
      #expect(try await host.pushes(to: users[1]).count == 1)
      host.time.advance(seconds: 61)
      try await host.send("Secret 4", users[0], id)
      let pushes = try await host.pushes(to: users[1])
      #expect(pushes.count == 2)
      #expect(Set(pushes.map(\.text)) == ["You have a new message."])
      #expect(try await host.pushes(to: users[0]).isEmpty)
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func aStrangerHasThreeMessagesWhateverTheListing(_ database: TestDatabase) async throws {
    try await ConversationHost.run(database) { host async throws in
      let users = try await host.users("ada", "bob")
      let (ada, bob) = (users[0], users[1])
      host.time.advance(seconds: 61)
      var ids: [ConversationID] = []
      for number in 1...4 {
        host.time.advance(seconds: 61)
        let id = try await host.start(ada, bob, about: host.test.ids.make()).id
        let refusal = try await code { try await host.send("\(number)", ada, id) }
        #expect(refusal == (number > 3 ? "request-unanswered" : nil), "\(number)")
        ids.append(id)
      }
      #expect(try await host.inbox(bob, .requests).count == 3)
      #expect(try await host.pushes(to: bob).count == 1)
      // An answer concerns its conversation only.
      try await host.send("Hello", bob, ids[0])
      for number in 1...4 { try await host.send("\(number)", ada, ids[0]) }
      try await host.send("The third elsewhere", ada, ids[3])
      #expect(try await code { try await host.send("The fourth", ada, ids[3]) } == "request-unanswered")
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func aDeletedRequestDoesNotReturnAboutAnotherListing(_ database: TestDatabase) async throws {
    try await ConversationHost.run(database) { host async throws in
      let users = try await host.users("ada", "bob")
      let (ada, bob) = (users[0], users[1])
      let id = try await host.start(ada, bob).id
      try await host.send("Hi", ada, id)
      _ = try await bob.client.send(MatchingAPI.HideConversation(id: id))
      host.time.advance(seconds: 61)
      let other = try await host.start(ada, bob, about: host.test.ids.make())
      #expect(other.isPending)
      try await host.send("Hi again", ada, other.id)
      #expect(try await host.inbox(bob, .requests).isEmpty)
      #expect(try await host.topicEvents("message.sent").map(\.users) == [[bob.id], []])
      // Only the first message was announced.
      #expect(try await host.pushes(to: bob).count == 1)
    }
  }

  @Test func newConversationsAreLimited() async throws {
    try await ConversationHost.run { host async throws in
      let teacher = try await host.user("teacher", [.instructor])
      let student = try await host.user("student", app: .letustudy)
      for _ in 0..<60 { _ = try await host.start(student, teacher, about: host.test.ids.make()) }
      #expect(try await code { _ = try await host.start(student, teacher) } == "too-many-requests")
      host.time.advance(seconds: 60)
      let id = try await host.start(student, teacher).id
      // An existing conversation is returned without limit.
      #expect(try await host.start(student, teacher).id == id)
    }
  }
}
