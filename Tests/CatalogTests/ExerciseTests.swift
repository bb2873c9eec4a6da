import Contracts
import Foundation
import Persistence
import ServiceKit
import TestKit
import Testing

@testable import CatalogService

/// The exercise library: completeness, search with typing errors, and saved exercises per user.
struct ExerciseTests {
  @Test func theLibraryIsComplete() throws {
    let entries = try ExerciseLibrary.load()
    #expect(entries.count >= 110)
    #expect(Set(entries.map(\.id)).count == entries.count)
    #expect(Set(entries.map { $0.name.rawValue.lowercased() }).count == entries.count)
    #expect(Set(entries.map(\.muscle)) == Set(Muscle.allCases))
    #expect(Set(entries.map(\.equipment)) == Set(Equipment.allCases))
    #expect(Set(entries.map(\.level)) == Set(ExerciseLevel.allCases))
    #expect(Set(entries.map(\.instructions)).count == entries.count)
    for entry in entries {
      #expect(!entry.secondaryMuscles.contains(entry.muscle), "\(entry.id)")
      #expect(Set(entry.secondaryMuscles).count == entry.secondaryMuscles.count, "\(entry.id)")
      #expect((3...5).contains(entry.instructions.count), "\(entry.id)")
      for sentence in entry.instructions.map(\.rawValue) {
        #expect(sentence.hasSuffix("."), "\(entry.id): \(sentence)")
        #expect(sentence.first?.isUppercase == true, "\(entry.id): \(sentence)")
        #expect(sentence.split(separator: " ").count >= 3, "\(entry.id): \(sentence)")
      }
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func exercisesAreFound(_ database: TestDatabase) async throws {
    try await TestPlatform.catalog(database: database) { host async throws in
      let me = try await host.user("ada").client
      func found(_ query: String) async throws -> [String] {
        try await me.send(CatalogAPI.ListExercises(query: query)).items.map(\.id.rawValue)
      }
      #expect(try await found("goblet") == ["goblet-squat"])
      #expect(try await found("gob squ") == ["goblet-squat"])
      #expect(try await found("dedlift").contains("deadlift"))
      #expect(try await found("brupee") == ["burpee"])
      #expect(try await found("???") == [])
      let chest = try await me.send(
        CatalogAPI.ListExercises(muscle: .chest, equipment: .dumbbell, limit: PageSize(checked: 100))
      )
      #expect(chest.items.count >= 3)
      #expect(chest.nextCursor == nil)
      #expect(Set(chest.items.map(\.muscle)) == [.chest])
      #expect(Set(chest.items.map(\.equipment)) == [.dumbbell])
      let squats = try await me.send(CatalogAPI.ListExercises(query: "squat", equipment: .barbell)).items
      #expect(Set(squats.map(\.id.rawValue)) == ["back-squat", "front-squat"])

      var all: [Exercise] = []
      var cursor: String?
      repeat {
        let page = try await me.send(CatalogAPI.ListExercises(limit: PageSize(checked: 30), cursor: cursor))
        all += page.items
        cursor = page.nextCursor
      } while cursor != nil
      #expect(all.map(\.id) == (try ExerciseLibrary.load().map(\.id)))
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func exercisesAreSaved(_ database: TestDatabase) async throws {
    try await TestPlatform.catalog(database: database) { host async throws in
      let ada = try await host.user("ada")
      let (user, me) = (ada.id, ada.client)
      let other = try await host.user("bob").client
      for name in ["plank", "burpee", "deadlift", "plank"] {
        _ = try await me.send(CatalogAPI.SaveExercise(id: Slug(validating: name)))
        host.time.advance(seconds: 1)
      }
      _ = try await other.send(CatalogAPI.SaveExercise(id: Slug(validating: "plank")))
      func saved() async throws -> [String] {
        try await me.send(CatalogAPI.ListSavedExercises()).items.map(\.id.rawValue)
      }
      #expect(try await saved() == ["deadlift", "burpee", "plank"])
      let first = try await me.send(CatalogAPI.ListSavedExercises(limit: PageSize(checked: 2)))
      // An exercise saved between two pages does not shift the next page.
      _ = try await me.send(CatalogAPI.SaveExercise(id: Slug(validating: "crunch")))
      let second = try await me.send(
        CatalogAPI.ListSavedExercises(limit: PageSize(checked: 2), cursor: first.nextCursor)
      )
      #expect((first.items + second.items).map(\.id.rawValue) == ["deadlift", "burpee", "plank"])
      #expect(second.nextCursor == nil)
      for _ in 0..<2 { _ = try await me.send(CatalogAPI.UnsaveExercise(id: Slug(validating: "burpee"))) }
      #expect(try await saved() == ["crunch", "deadlift", "plank"])
      #expect(try await me.send(CatalogAPI.GetExercise(id: Slug(validating: "plank"))).isSaved)
      #expect(try await !me.send(CatalogAPI.GetExercise(id: Slug(validating: "burpee"))).isSaved)
      let crunches = try await me.send(CatalogAPI.ListExercises(query: "crunch")).items
      #expect(crunches.filter(\.isSaved).map(\.id.rawValue) == ["crunch"])

      #expect(try await host.export("exercises", of: user) == ["plank", "deadlift", "crunch"])
      let catalog = try host.catalog
      try await host.database.write { tx in try catalog.eraseAll(of: user, in: tx) }
      #expect(try await saved() == [])
      #expect(try await other.send(CatalogAPI.ListSavedExercises()).items.map(\.id.rawValue) == ["plank"])
    }
  }

  @Test func whatIsNotThereIsRefused() async throws {
    try await TestPlatform.catalog { host async throws in
      let me = try await host.user("ada").client
      let unknown = Slug(checked: "flying")
      #expect(try await problem { _ = try await me.send(CatalogAPI.GetExercise(id: unknown)) }?.status == 404)
      #expect(try await problem { _ = try await me.send(CatalogAPI.SaveExercise(id: unknown)) }?.status == 404)
      let odd = try await problem { _ = try await me.send(CatalogAPI.GetExercise(id: Slug(checked: "Not A Slug"))) }
      #expect(odd?.status == 422)
      #expect(try await problem { _ = try await host.client.send(CatalogAPI.ListExercises()) }?.status == 401)
      for cursor in ["", "~", "\u{FFFF}", "'; DROP TABLE saved_exercises"] {
        for list in [CatalogAPI.ListExercises(cursor: cursor), CatalogAPI.ListSavedExercises(cursor: cursor)]
          as [any Endpoint]
        {
          #expect(try await problem { _ = try await me.send(list) }?.status == 422, "\(list)")
        }
      }
    }
  }
}
