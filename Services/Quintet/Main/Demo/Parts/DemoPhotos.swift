import Contracts

/// Drawn faces on the profiles.
struct DemoPhotos: DemoPart {
  let world: DemoWorld

  init(_ world: DemoWorld) { self.world = world }

  func fill() async throws {
    // All of them wait at the platform while other parts go on: processing them takes longest.
    try await concurrently(world.people) { person in _ = try await upload(person) }
    try await world.each("portraits", world.people) { person in
      try await world.once("photo.\(person.index).shown") { _ in
        let media = try await upload(person)
        try await world.uploads.waitUntilReady(media, as: person.account)
        var details = ProfilePatch()
        details.photo = .set(media)
        try await person.account.send(AuthAPI.UpdateMe(details: details))
      }
    }
  }

  private func upload(_ person: DemoPerson) async throws -> MediaID {
    let title = "Portrait of \(person.displayName)"
    return try await world.uploads.upload("photo.\(person.index)", as: person.account, title: title) {
      try Portrait.draw(person, seed: world.seed)
    }
  }
}
