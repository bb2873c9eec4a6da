import Contracts

/// KeepFit: weeks of workouts, followers who see some of them, and saved exercises.
struct DemoWorkouts: DemoPart {
  private struct Kind {
    let type: String
    let intensity: IntensityLevel
    let minutes: ClosedRange<Int>
  }

  private static let kinds = [
    Kind(type: "running", intensity: .moderate, minutes: 22...55),
    Kind(type: "cycling", intensity: .moderate, minutes: 30...90),
    Kind(type: "yoga", intensity: .light, minutes: 20...60),
    Kind(type: "weights", intensity: .moderate, minutes: 30...70),
    Kind(type: "hiit", intensity: .vigorous, minutes: 12...28),
    Kind(type: "swimming", intensity: .moderate, minutes: 25...50),
    Kind(type: "walking", intensity: .moderate, minutes: 25...80),
    Kind(type: "jump-rope", intensity: .moderate, minutes: 8...20),
  ]
  private static let notes = [
    "Along the river.", "Felt strong today.", "Short, but better than the sofa.", "New shoes!", "With the club.",
    "Rain from start to finish.",
  ]

  let world: DemoWorld
  private let athletes: [DemoPerson]

  init(_ world: DemoWorld) {
    self.world = world
    athletes = world.people(of: .keepfit)
  }

  func fill() async throws {
    try await world.each("athletes", athletes) { person in
      try await follow(person)
      try await save(person)
      // The oldest first, so that the latest is the last that is shared.
      for number in (0..<(person.isMainCharacter ? 24 : 6)).reversed() { try await train(person, number) }
    }
    try await world.each("reactions", athletes) { person in try await react(to: person) }
  }

  private func follow(_ person: DemoPerson) async throws {
    var random = world.random("follows.\(person.index)")
    for other in random.pick(8, of: athletes) + athletes.prefix(1) where other.index != person.index {
      try await world.once("follow.\(person.index).\(other.index)") { _ in
        try await person.account.send(MatchingAPI.FollowUser(userID: world.id(of: other)))
      }
    }
  }

  private func save(_ person: DemoPerson) async throws {
    try await world.once("exercises.\(person.index)") { _ in
      var random = world.random("exercises.\(person.index)")
      let muscle = random.pick(Muscle.allCases)
      let found = try await person.account.send(CatalogAPI.ListExercises(muscle: muscle, limit: PageSize(checked: 20)))
      for exercise in random.pick(4, of: found.items) {
        try await person.account.send(CatalogAPI.SaveExercise(id: exercise.id))
        if random.chance(0.5) { try await person.account.send(CatalogAPI.ShareExercise(id: exercise.id)) }
      }
    }
  }

  /// A workout of the last weeks; the main character trains most days.
  private func train(_ person: DemoPerson, _ number: Int) async throws {
    var random = world.random("workout.\(person.index).\(number)")
    let kind = random.pick(Self.kinds)
    let days = Double(number) * (person.isMainCharacter ? 1.6 : 5) + 0.3 + random.fraction()
    let start = world.begun.advanced(bySeconds: -86_400 * days)
    let seconds = Double(random.number(in: kind.minutes) * 60)
    let note = random.chance(0.4) ? try LongText(validating: random.pick(Self.notes)) : nil
    let id = try await world.journal.once("workout.\(person.index).\(number)") { key in
      let workout = StudyAPI.StartWorkout(
        type: try WorkoutTypeID(validating: kind.type), intensity: kind.intensity, startedAt: start,
        finishedAt: start.advanced(bySeconds: seconds),
        weight: BodyWeight(checked: DemoPeople.weight(of: person, in: world)), note: note)
      return try await person.account.send(workout, key: key).id.rawValue
    }
    guard number % 3 == 0 else { return }
    try await world.once("workout.\(person.index).\(number).shared") { _ in
      try await person.account.send(StudyAPI.ShareWorkout(id: WorkoutID(trusted: id), includesKilocalories: true))
    }
  }

  /// Followers react to the latest shared workout.
  private func react(to person: DemoPerson) async throws {
    guard let id = world.journal["workout.\(person.index).0"] else { return }
    var random = world.random("reactions.\(person.index)")
    let followers = athletes.filter { world.journal["follow.\($0.index).\(person.index)"] != nil }
    for follower in random.pick(4, of: followers) {
      let emoji = try Emoji(validating: random.pick(TalkTexts.reactions))
      try await world.once("reaction.\(person.index).\(follower.index)") { _ in
        try await follower.account.attempt(StudyAPI.ReactToWorkout(id: WorkoutID(trusted: id), emoji: emoji))
      }
    }
  }
}
