import Contracts
import Foundation
import Persistence
import ServiceKit
import TestKit
import Testing

@testable import MediaIndexService

/// Live streams as their hosts and viewers see them.
@Suite(.serialized)
struct LivestreamTests {
  private static let link = "https://meet.example.com/yoga"

  // MARK: links of other providers

  @Test(arguments: TestDatabase.allCases)
  func aLinkOfAnotherProviderIsScheduledAtOnce(_ database: TestDatabase) async throws {
    try await LivestreamHost.run(database) { host async throws in
      let (ada, bob) = (try await host.user("ada"), try await host.user("bob"))
      let created = try await host.create("Yoga", by: ada, link: Self.link, tags: ["slow", "mat"])
      #expect(created.state == .scheduled)
      #expect(created.provider == .link)
      let seen = try await host.get(created.id, by: bob)
      #expect(seen.joinURL?.rawValue == Self.link)
      #expect(seen.host?.username == "ada")
      #expect(seen.tags.map(\.rawValue) == ["mat", "slow"])
      #expect(try await host.zoom.count("create") == 0)
    }
  }

  @Test func withoutZoomOnlyLinksAreTaken() async throws {
    try await LivestreamHost.run(withZoom: false) { host async throws in
      let ada = try await host.user("ada")
      #expect(try await ada.client.send(MediaAPI.ListLivestreamProviders()).providers == [.link])
      #expect(try await problemCode { _ = try await host.create("Yoga", by: ada) } == "zoom-not-configured")
      #expect(try await host.create("Yoga", by: ada, link: Self.link).state == .scheduled)
      #expect(try await host.webhook("{}").status == 404)
    }
  }

  @Test func aPartOfZoomsSettingsIsRefused() async throws {
    await #expect(throws: SettingError.self) {
      try await LivestreamHost.run(settings: ["zoom.clientId": "client"], withZoom: false) { _ in }
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func theHostStartsAndEndsALink(_ database: TestDatabase) async throws {
    try await LivestreamHost.run(database) { host async throws in
      let (ada, bob) = (try await host.user("ada"), try await host.user("bob"))
      let created = try await host.create("Yoga", by: ada, link: Self.link)
      #expect(
        try await problemCode { _ = try await bob.client.send(MediaAPI.StartLivestream(id: created.id)) }
          == "livestream-not-found")
      #expect(try await ada.client.send(MediaAPI.StartLivestream(id: created.id)).startURL == Self.link)
      #expect(try await host.get(created.id, by: bob).state == .live)
      #expect(
        try await problemCode { _ = try await bob.client.send(MediaAPI.EndLivestream(id: created.id)) }
          == "livestream-not-found")
      let ended = try await ada.client.send(MediaAPI.EndLivestream(id: created.id))
      #expect(ended.state == .ended)
      #expect(ended.joinURL == nil)
      let again = try await ada.client.send(MediaAPI.EndLivestream(id: created.id))
      #expect(again.version == ended.version)
      #expect(
        try await problemCode { _ = try await ada.client.send(MediaAPI.StartLivestream(id: created.id)) }
          == "livestream-not-open")
      #expect(try await bob.client.send(MediaAPI.ListLivestreams()).items.isEmpty)
    }
  }

  // MARK: limits

  @Test func startsAreNearAndTagsAreFew() async throws {
    try await LivestreamHost.run { host async throws in
      let ada = try await host.user("ada")
      for seconds in [-600.0, 181 * 86_400.0] {
        let code = try await problemCode {
          _ = try await host.create("Yoga", by: ada, link: Self.link, startsIn: seconds)
        }
        #expect(code == "invalid-request")
      }
      let tags = (0..<11).map { "tag\($0)" }
      #expect(
        try await problemCode { _ = try await host.create("Yoga", by: ada, link: Self.link, tags: tags) }
          == "invalid-request")
    }
  }

  @Test func aUserHasTwentyOpenLiveStreams() async throws {
    try await LivestreamHost.run { host async throws in
      let ada = try await host.user("ada")
      for _ in 0..<10 { _ = try await host.create("Yoga", by: ada, link: Self.link) }
      #expect(
        try await problemCode { _ = try await host.create("Yoga", by: ada, link: Self.link) } == "too-many-requests")
      host.test.time.advance(seconds: 3600)
      for _ in 0..<10 { _ = try await host.create("Yoga", by: ada, link: Self.link, startsIn: 7200) }
      host.test.time.advance(seconds: 3600)
      #expect(
        try await problemCode { _ = try await host.create("Yoga", by: ada, link: Self.link) } == "too-many-livestreams")
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func aRepeatedRequestCreatesNothing(_ database: TestDatabase) async throws {
    try await LivestreamHost.run(database) { host async throws in
      let ada = try await host.user("ada")
      let first = try await host.create("Yoga", by: ada, link: Self.link, key: "one")
      let second = try await host.create("Yoga", by: ada, link: Self.link, key: "one")
      #expect(first.id == second.id)
      #expect(try await ada.client.send(MediaAPI.ListLivestreams()).items.count == 1)
    }
  }

  @Test func guestsDoNotHost() async throws {
    try await LivestreamHost.run { host async throws in
      let guest = TestUser(try await host.test.client.send(AuthAPI.SignInAsGuest()), host.test.client)
      #expect(try await problemCode { _ = try await host.create("Yoga", by: guest, link: Self.link) } == "forbidden")
    }
  }

  // MARK: who sees what

  @Test(arguments: TestDatabase.allCases)
  func connectionsSeeWhatIsForThem(_ database: TestDatabase) async throws {
    try await LivestreamHost.run(database) { host async throws in
      let (ada, bob, eve) = (try await host.user("ada"), try await host.user("bob"), try await host.user("eve"))
      try await host.connect(ada, bob)
      let own = try await host.create("For friends", by: ada, link: Self.link, visibility: .connections)
      #expect(try await bob.client.send(MediaAPI.ListLivestreams()).items.map(\.id) == [own.id])
      #expect(try await host.get(own.id, by: bob).joinURL?.rawValue == Self.link)
      #expect(try await eve.client.send(MediaAPI.ListLivestreams()).items.isEmpty)
      #expect(try await eve.client.send(MediaAPI.ListLivestreams(query: "friends")).items.isEmpty)
      #expect(try await problemCode { _ = try await host.get(own.id, by: eve) } == "livestream-not-found")
      #expect(try await ada.client.send(MediaAPI.ListLivestreams()).items.map(\.id) == [own.id])
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func blockedUsersDoNotSeeEachOther(_ database: TestDatabase) async throws {
    try await LivestreamHost.run(database) { host async throws in
      let (ada, bob) = (try await host.user("ada"), try await host.user("bob"))
      let created = try await host.create("Yoga", by: ada, link: Self.link)
      try await host.test.deliver(
        BlockChanged(blocker: ada.id, blocked: bob.id, isBlocked: true), from: MatchingAPI.self, to: MediaAPI.self)
      #expect(try await bob.client.send(MediaAPI.ListLivestreams()).items.isEmpty)
      #expect(try await bob.client.send(MediaAPI.ListLivestreams(query: "yoga")).items.isEmpty)
      #expect(try await problemCode { _ = try await host.get(created.id, by: bob) } == "livestream-not-found")
    }
  }

  @Test func pagesAreFilledWithWhatTheViewerMaySee() async throws {
    try await LivestreamHost.run { host async throws in
      let (ada, bob) = (try await host.user("ada"), try await host.user("bob"))
      var visible: [LivestreamID] = []
      for number in 0..<9 {
        let isHidden = number % 3 != 0
        let created = try await host.create(
          "Number \(number)", by: ada, link: Self.link, startsIn: Double(number) * 60,
          visibility: isHidden ? .connections : .everyone)
        if !isHidden { visible.append(created.id) }
      }
      var (seen, cursor): ([LivestreamID], String?) = ([], nil)
      repeat {
        let page = try await bob.client.send(
          MediaAPI.ListLivestreams(limit: PageSize(checked: 2), cursor: cursor))
        seen += page.items.map(\.id)
        cursor = page.nextCursor
      } while cursor != nil
      #expect(seen == visible)
    }
  }

  // MARK: search

  @Test(arguments: TestDatabase.allCases)
  func titlesTagsAndTypesAreFound(_ database: TestDatabase) async throws {
    try await LivestreamHost.run(database) { host async throws in
      let (ada, bob) = (try await host.user("ada"), try await host.user("bob"))
      let yoga = try await host.create("Morning yoga", by: ada, link: Self.link, tags: ["mat"])
      let run = try await bob.client.send(
        MediaAPI.CreateLivestream(
          title: ShortText(checked: "Hills"), workoutType: WorkoutTypeID(checked: "running"),
          joinURL: WebLink(checked: Self.link)))
      func found(_ request: MediaAPI.ListLivestreams) async throws -> [LivestreamID] {
        try await ada.client.send(request).items.map(\.id)
      }
      #expect(try await found(MediaAPI.ListLivestreams(query: "mornng")) == [yoga.id])
      #expect(try await found(MediaAPI.ListLivestreams(query: "mat")) == [yoga.id])
      #expect(try await found(MediaAPI.ListLivestreams(query: "runn")) == [run.id])
      #expect(try await found(MediaAPI.ListLivestreams(tag: Tag(checked: "mat"))) == [yoga.id])
      #expect(try await found(MediaAPI.ListLivestreams(host: bob.id)) == [run.id])
      #expect(
        try await found(MediaAPI.ListLivestreams(workoutType: WorkoutTypeID(checked: "running"))) == [run.id])
      #expect(try await found(MediaAPI.ListLivestreams(state: .live)).isEmpty)
      _ = try await ada.client.send(MediaAPI.EndLivestream(id: yoga.id))
      #expect(try await found(MediaAPI.ListLivestreams(query: "morning")).isEmpty)
      #expect(try await found(MediaAPI.ListLivestreams(host: ada.id, state: .ended)) == [yoga.id])
    }
  }

  // MARK: events

  @Test(arguments: TestDatabase.allCases)
  func followersLearnOfWhatEveryoneMaySee(_ database: TestDatabase) async throws {
    try await LivestreamHost.run(database) { host async throws in
      let ada = try await host.user("ada")
      _ = try await host.create("For friends", by: ada, link: Self.link, visibility: .connections)
      let open = try await host.create("Yoga", by: ada, link: Self.link)
      _ = try await ada.client.send(MediaAPI.StartLivestream(id: open.id))
      _ = try await ada.client.send(MediaAPI.EndLivestream(id: open.id))
      let events = try await host.test.recorded(UserTopicEvent.self, by: MediaAPI.self)
      #expect(events.map(\.name) == ["livestream.scheduled", "livestream.started", "livestream.ended"])
      // Also those whose app is closed, once, and not of what only connections may see.
      let pushes = try await host.test.recorded(FollowersPushRequested.self, by: MediaAPI.self)
      #expect(pushes.map(\.userID) == [ada.id])
      #expect(pushes.map(\.topic.rawValue) == ["livestream:\(open.id)"])
      #expect(pushes.map(\.kind) == [.liveWorkouts])
      #expect(Set(events.map { $0.data["id"]?.string }) == [open.id.rawValue])
      #expect(Set(events.map(\.topic)) == [.streams])
      // Matching passes them on to the topic.
      let event = try #require(events.first)
      try await host.test.deliver(event, from: MediaAPI.self, to: MatchingAPI.self)
      let sent = try await host.test.recorded(TopicEvent.self, by: MatchingAPI.self)
      #expect(sent.map(\.topic) == [UserTopic.streams.of(ada.id)])
    }
  }

  // MARK: personal data

  @Test(arguments: TestDatabase.allCases)
  func linksAndDescriptionsAreEncrypted(_ database: TestDatabase) async throws {
    try await LivestreamHost.run(database) { host async throws in
      let ada = try await host.user("ada")
      let created = try await host.create("Yoga", by: ada, link: Self.link)
      let row = try #require(try await host.row(created.id))
      #expect(!row.sealed.contains("meet.example.com"))
      #expect(!row.sealed.contains("levels"))
      let exported = try await host.plugin.export(ada.id, from: host.database)["livestreams"]?.elements
      #expect(exported?.map { $0["title"]?.string } == ["Yoga"])
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func theMeetingsOfADeletedUserAreRemoved(_ database: TestDatabase) async throws {
    try await LivestreamHost.run(database) { host async throws in
      let ada = try await host.user("ada")
      _ = try await host.create("A link", by: ada, link: Self.link)
      let created = try await host.scheduled("Yoga", by: ada)
      let database = try host.database
      try await host.test.deliver(UserDeleted(userID: ada.id), from: AuthAPI.self, to: MediaAPI.self)
      let left = try await database.read { db in
        try db.all("SELECT title, tags FROM livestreams") { row in
          try row["title"] as String + (try row["tags"] as String)
        }
      }
      #expect(left == [""])
      try await host.work()
      #expect(try await host.zoom.meetings.isEmpty)
      #expect(try await host.row(created.id)?.meeting == .removed)
      try await host.advance(30 * 86_400)
      try await host.collect()
      #expect(try await host.row(created.id) == nil)
    }
  }
}
