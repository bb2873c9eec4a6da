import Contracts

/// The dependencies with which every part of the world is made.
struct DemoWorld: Sendable {
  let seed: UInt64
  let platform: DemoPlatform
  let journal: Journal
  let progress: DemoProgress
  let uploads: Uploads
  let people: [DemoPerson]
  /// The owner of the shop; absent when the demo has no such account.
  let owner: DemoOwner?
  /// The moment from which past workouts and reviews are counted back. A continued run uses that of the first one.
  let begun: Timestamp

  func people(of app: ClientApp) -> [DemoPerson] { people.filter { $0.app == app } }

  func random(_ label: String) -> DemoRandom { DemoRandom(seed, label) }

  /// The id of a person who has signed up.
  func id(of person: DemoPerson) -> UserID { UserID(trusted: journal["person.\(person.index)"] ?? "") }

  /// Performs a step for each element, shows how far that is, and skips what an earlier run has done.
  func each<Element: Sendable>(
    _ title: String, _ elements: [Element], atOnce count: Int = DemoPlatform.concurrency,
    _ body: @escaping @Sendable (Element) async throws -> Void
  ) async throws {
    guard !elements.isEmpty else { return }
    progress.begin(title, of: elements.count)
    try await concurrently(elements, atOnce: count) { [progress] element in
      try await body(element)
      progress.advance(title)
    }
  }

  /// Performs a step without a result unless it has been done.
  func once(_ step: String, _ perform: (_ key: String) async throws -> Void) async throws {
    try await journal.once(step) { key in
      try await perform(key)
      return ""
    }
  }
}

/// A part of the world, which fills some of the apps.
protocol DemoPart: Sendable {
  init(_ world: DemoWorld)
  func fill() async throws
}
