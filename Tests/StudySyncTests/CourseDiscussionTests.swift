import Contracts
import Persistence
import ServiceKit
import TestKit
import Testing

@testable import StudySyncService

@Suite(.serialized)
struct CourseDiscussionTests {
  private func room(
    _ database: TestDatabase, _ body: (CourseHost, _ ada: TestUser, _ bob: TestUser, CourseID) async throws -> Void
  ) async throws {
    try await CourseHost.run(database) { host async throws in
      let (ada, bob) = (try await host.instructor("ada"), try await host.user("bob"))
      let course = try await host.course(ada)
      try await host.join(course, of: ada, bob)
      try await body(host, ada, bob, course)
    }
  }

  private func start(_ user: TestUser, _ course: CourseID, key: String? = nil) async throws -> Discussion {
    try await user.client.send(
      StudyAPI.StartDiscussion(
        course: course, title: ShortText(checked: "Ablative 🤔"), text: CourseText(checked: "When?")),
      idempotencyKey: key)
  }

  private func reply(
    _ text: String, _ user: TestUser, _ discussion: Discussion, _ course: CourseID
  ) async throws -> DiscussionReply {
    try await user.client.send(
      StudyAPI.ReplyToDiscussion(course: course, discussion: discussion.id, text: CourseText(checked: text)))
  }

  @Test(arguments: TestDatabase.allCases)
  func membersDiscuss(_ database: TestDatabase) async throws {
    try await room(database) { host, ada, bob, course async throws in
      let discussion = try await start(bob, course, key: "one")
      #expect(try await start(bob, course, key: "one") == discussion)
      #expect(discussion.author?.displayName == "The bob")
      for number in 0..<5 { _ = try await reply("Reply \(number) 🏛️", ada, discussion, course) }
      var (replies, cursor): ([DiscussionReply], String?) = ([], nil)
      repeat {
        let page = try await bob.client.send(
          StudyAPI.ListDiscussionReplies(
            course: course, discussion: discussion.id, limit: PageSize(checked: 2), cursor: cursor))
        (replies, cursor) = (replies + page.items, page.nextCursor)
      } while cursor != nil
      #expect(replies.map(\.text?.rawValue) == (0..<5).map { "Reply \($0) 🏛️" })
      let listed = try await ada.client.send(StudyAPI.ListDiscussions(course: course)).items
      #expect(listed.map(\.replyCount) == [5])

      let events = try await host.events(TopicEvent.self).filter { $0.topic == CourseEvents.topic(course) }
      #expect(events.map(\.name).filter { $0 == "replies.changed" }.count == 5)
      let texts = try await host.database.read { db in
        try db.values("SELECT content FROM discussions UNION ALL SELECT text FROM discussion_replies", as: String.self)
          + db.values("SELECT data FROM outbox", as: String.self)
      }
      #expect(texts.allSatisfy { !$0.contains("Reply") && !$0.contains("Ablative") })
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func authorsEditAndInstructorsModerate(_ database: TestDatabase) async throws {
    try await room(database) { host, ada, bob, course async throws in
      let discussion = try await start(bob, course)
      let (own, others) = (
        try await reply("Mine", bob, discussion, course), try await reply("Yours", ada, discussion, course)
      )
      func edit(_ reply: DiscussionReply, _ user: TestUser) async throws -> String? {
        try await code {
          _ = try await user.client.send(
            StudyAPI.UpdateDiscussionReply(
              course: course, discussion: discussion.id, id: reply.id, text: CourseText(checked: "Edited")))
        }
      }
      #expect(try await edit(own, bob) == nil)
      #expect(try await edit(others, bob) == "forbidden")
      #expect(try await edit(own, ada) == "forbidden")
      func delete(_ reply: DiscussionReply, _ user: TestUser) async throws -> String? {
        try await code {
          _ = try await user.client.send(
            StudyAPI.DeleteDiscussionReply(course: course, discussion: discussion.id, id: reply.id))
        }
      }
      #expect(try await delete(others, bob) == "forbidden")
      #expect(try await delete(own, ada) == nil)
      #expect(try await delete(own, ada) == nil)
      #expect(try await edit(own, bob) == "not-found")
      let replies = try await bob.client.send(
        StudyAPI.ListDiscussionReplies(course: course, discussion: discussion.id)
      ).items
      #expect(replies.map(\.text?.rawValue) == [nil, "Yours"])

      _ = try await ada.client.send(StudyAPI.DeleteDiscussion(course: course, id: discussion.id))
      let left = try await bob.client.send(StudyAPI.GetDiscussion(course: course, id: discussion.id))
      #expect(left.title == nil)
      #expect(left.replyCount == 2)
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func inALockedDiscussionOnlyInstructorsWrite(_ database: TestDatabase) async throws {
    try await room(database) { host, ada, bob, course async throws in
      let discussion = try await start(bob, course)
      let own = try await reply("Mine", bob, discussion, course)
      let lock = StudyAPI.UpdateDiscussion(course: course, id: discussion.id, isLocked: true)
      #expect(try await code { _ = try await bob.client.send(lock) } == "forbidden")
      #expect(try await ada.client.send(lock).isLocked)
      #expect(try await code { _ = try await reply("More", bob, discussion, course) } == "discussion-locked")
      let edits = StudyAPI.UpdateDiscussionReply(
        course: course, discussion: discussion.id, id: own.id, text: CourseText(checked: "Edited"))
      #expect(try await code { _ = try await bob.client.send(edits) } == "discussion-locked")
      let title = StudyAPI.UpdateDiscussion(course: course, id: discussion.id, title: ShortText(checked: "Other"))
      #expect(try await code { _ = try await bob.client.send(title) } == "discussion-locked")
      _ = try await reply("The last word", ada, discussion, course)
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func writingIsLimited(_ database: TestDatabase) async throws {
    try await room(database) { host, ada, bob, course async throws in
      let discussion = try await start(bob, course)
      for number in 1..<Discussions.rate.count { _ = try await reply("\(number)", bob, discussion, course) }
      #expect(try await code { _ = try await reply("Spam", bob, discussion, course) } == "too-many-requests")
      _ = try await reply("Not me", ada, discussion, course)
      host.test.time.advance(seconds: 60)
      _ = try await reply("Later", bob, discussion, course)
    }
  }
}
