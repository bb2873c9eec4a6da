import Contracts

/// Drawn faces on the profiles.
struct DemoPhotos: DemoPart {
  let world: DemoWorld

  init(_ world: DemoWorld) { self.world = world }

  func fill() async throws {
    // All of them wait at the platform while other parts go on: processing them takes longest.
    try await concurrently(world.people) { person in
      _ = try await world.uploads.upload(step(person), as: person.account, title: title(person)) {
        try Portrait.draw(person, seed: world.seed)
      }
    }
    try await world.each("portraits", world.people) { person in
      try await world.once("\(step(person)).shown") { _ in
        var details = ProfilePatch()
        details.photo = .set(try await photo(of: person))
        try await person.account.send(AuthAPI.UpdateMe(details: details))
      }
    }
  }

  /// A portrait that can be used.
  func photo(of person: DemoPerson) async throws -> MediaID {
    try await world.uploads.ready(step(person), as: person.account, title: title(person)) {
      try Portrait.draw(person, seed: world.seed)
    }
  }

  private func step(_ person: DemoPerson) -> String { "photo.\(person.index)" }
  private func title(_ person: DemoPerson) -> String { "Portrait of \(person.displayName)" }
}
