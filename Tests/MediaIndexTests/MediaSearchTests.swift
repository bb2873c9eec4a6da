import Contracts
import Foundation
import Persistence
import ServiceKit
import TestKit
import Testing

@testable import MediaIndexService

/// Lists, searches and counts of media, and who sees what in them.
struct MediaSearchTests {
  @discardableResult
  private func video(
    _ title: String, by user: TestUser, tags: [String] = [], workout: String? = nil, product: String? = nil,
    description: String? = nil, visibility: MediaVisibility? = nil
  ) async throws -> MediaID {
    try await user.client.send(
      MediaAPI.AddVideoLink(
        url: YouTubeLink(validating: "https://youtu.be/aqz-KE-bpKQ"), title: ShortText(validating: title),
        description: description.map { try LongText(validating: $0) }, tags: tags.map { try Tag(validating: $0) },
        workoutType: workout.map { try WorkoutTypeID(validating: $0) },
        productType: product.map { try Slug(validating: $0) }, visibility: visibility)
    ).id
  }

  private func found(_ request: MediaAPI.ListMedia, by user: TestUser) async throws -> [MediaID] {
    try await user.client.send(request).items.map(\.id)
  }

  @Test(arguments: TestDatabase.allCases)
  func mediaAreFoundByTheirTextsAndFilters(_ database: TestDatabase) async throws {
    try await ItemHost.run(database) { host async throws in
      let users = try await host.users("ada", "bob")
      let (ada, bob) = (users[0], users[1])
      let yoga = try await video("Morning yoga", by: ada, tags: ["calm"], workout: "yoga", product: "mats")
      let run = try await video("Evening run", by: bob, tags: ["fast"], workout: "running")
      let talk = try await video("About shoes", by: bob, description: "For the morning run")
      let beat = try await host.upload(ItemHost.wav(1), by: bob, id: host.core.ids.make(), visibility: .everyone)
      try await host.core.database.write { [core = host.core] tx in
        _ = try core.media.advance(beat, to: .ready, MediaProperties(milliseconds: 2000), in: tx)
      }
      #expect(try await found(.init(query: "morning"), by: ada) == [yoga, talk])
      #expect(try await found(.init(query: "mornign yoag"), by: ada) == [])
      #expect(try await found(.init(query: "mornign yog"), by: ada) == [yoga])
      #expect(try await found(.init(query: "run"), by: ada) == [run, talk])
      #expect(try await found(.init(query: "running"), by: ada) == [run])
      #expect(try await found(.init(query: "morning", owner: bob.id), by: ada) == [talk])
      #expect(try await found(.init(tag: Tag(validating: "calm")), by: bob) == [yoga])
      #expect(try await found(.init(workoutType: WorkoutTypeID(validating: "running")), by: bob) == [run])
      #expect(try await found(.init(kind: .video, productType: Slug(validating: "mats")), by: bob) == [yoga])
      #expect(try await found(.init(kind: .audio), by: ada) == [beat])
      #expect(try await found(.init(), by: ada) == [beat, talk, run, yoga])
      #expect(try await found(.init(sort: .title), by: ada) == [talk, run, yoga])
      #expect(try await found(.init(sort: .duration), by: ada) == [beat])
      #expect(try await found(.init(query: "morning", sort: .title), by: ada) == [talk, yoga])
    }
  }

  /// More than a page of others match the words; the filter is part of the search.
  @Test func aFilterFindsWhatExistsAmongManyOthers() async throws {
    try await ItemHost.run { host async throws in
      let users = try await host.users("ada", "bob")
      let only = try await host.beat(1, by: users[0], visibility: .everyone)
      let owner = users[1].id
      try await host.core.database.write { [core = host.core] tx in
        for number in 0..<700 {
          let media = Media(
            id: core.ids.make(), owner: owner, kind: .audio, state: .ready, visibility: .everyone,
            contentType: "audio/wav", bytes: 0, title: try ShortText(validating: "Dark beat \(number)"), tags: [],
            createdAt: tx.now, version: 1)
          try core.media.insert(StoredMedia(media: media, app: .archived), in: tx)
        }
        guard var stored = try core.media.find(only, in: tx) else { return }
        stored.media.title = try ShortText(validating: "Dark beat")
        _ = try core.media.update(stored, in: tx)
      }
      #expect(try await found(.init(query: "dark", owner: users[0].id), by: users[1]) == [only])
      #expect(try await found(.init(query: "drak beat", owner: users[0].id), by: users[1]) == [])
      #expect(try await found(.init(owner: users[0].id), by: users[1]) == [only])
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func searchesShowWhatTheCallerMayLoad(_ database: TestDatabase) async throws {
    try await ItemHost.run(database) { host async throws in
      let users = try await host.users("ada", "bob", "eve")
      let (ada, bob, eve) = (users[0], users[1], users[2])
      let everyone = try await video("yoga for everyone", by: ada)
      let connections = try await video("yoga for connections", by: ada, visibility: .connections)
      let own = try await video("yoga for me", by: ada, visibility: .owner)
      try await host.connect(ada, bob)
      #expect(try await found(.init(query: "yoga"), by: ada) == [own, connections, everyone])
      #expect(try await found(.init(query: "yoga"), by: bob) == [connections, everyone])
      #expect(try await found(.init(query: "yoga"), by: eve) == [everyone])
      #expect(try await found(.init(), by: bob) == [connections, everyone])
      let anyone = try await host.test.client.send(MediaAPI.ListMedia(query: "yoga"))
      #expect(anyone.items.map(\.id) == [everyone])
      #expect(try await host.test.send(.get, "/v1/media", headers: [("authorization", "Bearer x")]).status == 401)
      // An unfinished media item is shown to its owner alone.
      let uploaded = try await host.upload(ItemHost.wav(7), by: ada, visibility: .everyone)
      #expect(try await found(.init(kind: .audio), by: ada) == [uploaded])
      #expect(try await found(.init(kind: .audio), by: bob) == [])
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func searchesFollowChangesAndDeletions(_ database: TestDatabase) async throws {
    try await ItemHost.run(database) { host async throws in
      let ada = try await host.users("ada")[0]
      let id = try await video("Morning yoga", by: ada, workout: "yoga")
      let patch = MediaAPI.UpdateMedia(
        id: id, title: .set(try ShortText(validating: "Night run")), tags: [try Tag(validating: "dark")],
        workoutType: .set(try WorkoutTypeID(validating: "running")))
      let changed = try await ada.client.send(patch)
      #expect(changed.workoutType?.rawValue == "running")
      #expect(try await found(.init(query: "morning"), by: ada) == [])
      #expect(try await found(.init(query: "night", workoutType: changed.workoutType), by: ada) == [id])
      _ = try await ada.client.send(MediaAPI.SaveMedia(id: id))
      _ = try await ada.client.send(MediaAPI.DeleteMedia(id: id))
      #expect(try await found(.init(), by: ada) == [])
      for table in ["search_pending", "search_documents", "media_sort_keys", "saved_media"] as [StaticString] {
        #expect(try await host.count("SELECT COUNT(*) FROM \(raw: table)") == 0, "\(table)")
      }
    }
  }

  // MARK: pages

  @Test(arguments: [MediaSort.relevance, .newest, .title, .duration])
  func pagesHaveEachMediumOnce(_ sort: MediaSort) async throws {
    try await ItemHost.run { host async throws in
      let ada = try await host.users("ada")[0]
      for number in 0..<7 {
        let id = try await host.upload(ItemHost.wav(UInt64(number)), by: ada)
        try await host.core.database.write { [core = host.core] tx in
          let properties = MediaProperties(milliseconds: Int64(1000 + number % 3))
          guard var stored = try core.media.advance(id, to: .ready, properties, in: tx) else { return }
          stored.media.title = try ShortText(validating: "Élan \(number % 4)")
          _ = try core.media.update(stored, in: tx)
        }
      }
      var (all, cursor): ([Media], String?) = ([], nil)
      repeat {
        let page = try await ada.client.send(
          MediaAPI.ListMedia(query: "elan", sort: sort, limit: PageSize(checked: 2), cursor: cursor))
        #expect(page.items.count <= 2)
        all += page.items
        cursor = page.nextCursor
      } while cursor != nil
      #expect(Set(all.map(\.id)).count == 7)
      #expect(all.count == 7)
      if sort == .title {
        #expect(all.map { $0.title?.rawValue ?? "" } == all.map { $0.title?.rawValue ?? "" }.sorted())
      }
      if sort == .duration { #expect(all.compactMap(\.milliseconds) == [1000, 1000, 1000, 1001, 1001, 1002, 1002]) }
      if sort == .newest { #expect(all.map(\.id.rawValue) == all.map(\.id.rawValue).sorted(by: >)) }
    }
  }

  @Test func cursorsOfOtherListsAreRefused() async throws {
    try await ItemHost.run { host async throws in
      let ada = try await host.users("ada")[0]
      let id = try await video("one", by: ada)
      for (sort, cursor) in [
        (.relevance, "x"), (.relevance, "x_y"), (.relevance, "9999_\(id)"), (.relevance, "-1_\(id)"), (.newest, "x_y"),
        (.duration, "x_\(id)"), (.title, "~_\(id)"), (.title, "eA==_\(id)"), (.newest, "_\(id)"),
        (.duration, "1_\(id)"),
      ] as [(MediaSort, String)] {
        let list = MediaAPI.ListMedia(query: "one", sort: sort, cursor: cursor)
        let problem = try await problem { _ = try await ada.client.send(list) }
        #expect(problem?.errors?.map(\.location) == ["query.cursor"], "\(sort) \(cursor)")
      }
    }
  }

  /// The last position that was read may be that of someone's private media item.
  @Test(arguments: [MediaSort.title, .newest])
  func cursorsDoNotRevealTitlesAndIDs(_ sort: MediaSort) async throws {
    try await ItemHost.run { host async throws in
      let ada = try await host.users("ada")[0]
      var ids: [MediaID] = []
      for _ in 0..<2 { ids.append(try await video("a private title", by: ada)) }
      let page = try await ada.client.send(MediaAPI.ListMedia(sort: sort, limit: PageSize(checked: 1)))
      let cursor = try #require(page.nextCursor)
      let title = Data("a private title".utf8).base64EncodedString()
      for hidden in [title] + ids.map(\.rawValue) { #expect(!cursor.contains(hidden)) }
      let other: MediaSort = sort == .title ? .newest : .title
      let problem = try await problem {
        _ = try await ada.client.send(MediaAPI.ListMedia(sort: other, cursor: cursor))
      }
      #expect(problem?.errors?.map(\.location) == ["query.cursor"])
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func matchesAreCountedByTheirValues(_ database: TestDatabase) async throws {
    try await ItemHost.run(database) { host async throws in
      let users = try await host.users("ada", "bob")
      for number in 0..<6 {
        try await video(
          "yoga \(number)", by: users[0], tags: number < 4 ? ["calm"] : ["calm", "long"], workout: "yoga",
          product: number < 2 ? "mats" : nil, visibility: number == 5 ? .owner : .everyone)
      }
      try await video("run", by: users[0], tags: ["fast"], workout: "running")
      let counts = try await users[1].client.send(MediaAPI.CountMedia(query: "yoga"))
      #expect(counts.kinds == [.init(value: "video", count: 5)])
      #expect(counts.tags == [.init(value: "calm", count: 5), .init(value: "long", count: 1)])
      #expect(counts.workoutTypes == [.init(value: "yoga", count: 5)])
      #expect(counts.productTypes == [.init(value: "mats", count: 2)])
      let all = try await users[0].client.send(MediaAPI.CountMedia())
      #expect(all.workoutTypes == [.init(value: "yoga", count: 6), .init(value: "running", count: 1)])
    }
  }

  // MARK: saved media

  @Test(arguments: TestDatabase.allCases)
  func mediaAreSaved(_ database: TestDatabase) async throws {
    try await ItemHost.run(database) { host async throws in
      let users = try await host.users("ada", "bob")
      let (ada, bob) = (users[0], users[1])
      let first = try await video("one", by: ada)
      let second = try await video("two", by: ada)
      let hidden = try await video("three", by: ada, visibility: .owner)
      for id in [first, second, first] { _ = try await bob.client.send(MediaAPI.SaveMedia(id: id)) }
      let refused = try await problem { _ = try await bob.client.send(MediaAPI.SaveMedia(id: hidden)) }
      #expect(refused?.code == "media-not-found")
      func saved(limit: Int = 20, cursor: String? = nil) async throws -> Page<Media> {
        try await bob.client.send(MediaAPI.ListSavedMedia(limit: PageSize(checked: limit), cursor: cursor))
      }
      let page = try await saved(limit: 1)
      #expect(page.items.map(\.id) == [second])
      #expect(try await saved(limit: 1, cursor: page.nextCursor).items.map(\.id) == [first])
      // It is kept, but not shown while it is private.
      _ = try await ada.client.send(MediaAPI.UpdateMedia(id: second, visibility: .owner))
      #expect(try await saved().items.map(\.id) == [first])
      _ = try await ada.client.send(MediaAPI.UpdateMedia(id: second, visibility: .everyone))
      for _ in 0..<2 { _ = try await bob.client.send(MediaAPI.UnsaveMedia(id: first)) }
      #expect(try await saved().items.map(\.id) == [second])
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func savedMediaAreExportedAndErased(_ database: TestDatabase) async throws {
    try await ItemHost.run(database) { host async throws in
      let users = try await host.users("ada", "bob")
      let id = try await video("one", by: users[0])
      for user in users { _ = try await user.client.send(MediaAPI.SaveMedia(id: id)) }
      let feature = SavedMedia(core: host.core)
      let exported = try await host.core.database.read { db in try feature.export(users[1].id, in: db) }
      #expect(exported.first?.section == "savedMedia")
      #expect(exported.first?.content == .array([.string(id.rawValue)]))
      try await host.core.database.write { tx in try feature.erase(users[1].id, in: tx) }
      #expect(try await host.count("SELECT COUNT(*) FROM saved_media WHERE user_id = \(users[1].id)") == 0)
      #expect(try await host.count("SELECT COUNT(*) FROM saved_media WHERE user_id = \(users[0].id)") == 1)
    }
  }
}
