import ArgumentParser
import Contracts
import CurlClient
import Foundation

/// A believable world to look at.
@main
struct DemoCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "quintet-demo",
    abstract: "Fill a running platform with made-up people and what they do, through its public API.",
    discussion: """
      Everything follows from the seed. The journal notes what has been done: a run that ended early is continued by \
      the next one, and a complete world is not made twice. The shop is filled by an owner that you create for the \
      demo, whose password is read from standard input (docs/demo.md).
      """)

  @Option(help: "The address of the platform.") var url = "http://127.0.0.1:8080"
  @Option(help: "The number of people, 10 to 2000; 200 by default.") var people: Int?
  @Option(help: "What the world follows from; 1 by default.") var seed: UInt64?
  @Option(help: "The username of an account with the role owner, which fills the shop.") var owner: String?
  @Option(help: "The file that notes what has been done.") var journal = "data/demo/journal"
  @Flag(help: "Stay and go on bidding and writing until Ctrl-C.") var live = false
  @Flag(help: "Delete everything that the demo has made.") var remove = false
  @Flag(help: "Print where to look and as whom, with the owner's current code; also while another run goes on.")
  var logins = false

  func validate() throws {
    guard (10...2000).contains(people ?? 200) else { throw ValidationError("--people must be from 10 to 2000") }
    if [live, remove, logins].count(where: { $0 }) > 1 {
      throw ValidationError("--live, --remove and --logins exclude each other")
    }
  }

  func run() async throws {
    let path = URL(fileURLWithPath: journal).path
    if remove || logins, !FileManager.default.fileExists(atPath: path) { return print("There is no demo.") }
    let journal = try Journal(path: path, isReadOnly: logins)
    if logins, journal["plan"] == nil { return print("The demo has not begun yet.") }
    var configuration = CurlClient.Configuration()
    // Requests wait here for their turn, not at the platform.
    configuration.concurrentRequests = DemoPlatform.concurrency + 2
    (configuration.queuedRequests, configuration.queueSeconds) = (10_000, 600)
    let http = CurlClient(configuration: configuration)
    do {
      try await run(journal, http)
    } catch let problem as Problem {
      await http.shutdown()
      let details = [problem.detail].compactMap { $0 } + (problem.errors ?? []).map { "\($0.location) \($0.message)" }
      throw DemoError((["\(problem.title) (\(problem.code))"] + details).joined(separator: "; "))
    } catch {
      await http.shutdown()
      throw error
    }
    await http.shutdown()
  }

  private func run(_ journal: Journal, _ http: CurlClient) async throws {
    if !remove, journal["removal"] != nil {
      throw DemoError("A removal of this demo has begun; finish it with --remove.")
    }
    let (world, password) = try begin(journal, http)
    if remove {
      try await DemoRemoval(world: world, password: password).run()
      return print("The demo is removed.")
    }
    if !logins { try await fill(world) }
    try DemoLogins(world: world, password: password).show()
    if live { try await DemoLive(world: world).run() }
  }

  private func fill(_ world: DemoWorld) async throws {
    try await DemoPeople(world).fill()
    // Pictures of people are processed while the other parts go on. Roommates need them, talks need matches.
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        try await DemoPhotos(world).fill()
        try await DemoRoommates(world).fill()
      }
      group.addTask { try await DemoBeats(world).fill() }
      group.addTask { try await DemoShop(world).fill() }
      group.addTask {
        try await DemoStudy(world).fill()
        try await DemoWorkouts(world).fill()
        try await DemoVideos(world).fill()
      }
      try await group.waitForAll()
    }
    try await DemoTalks(world).fill()
    // Last, so that there is something left of its five minutes.
    try await DemoAuction(world).fill()
  }

  /// Finds the world of an earlier run, or begins one.
  private func begin(_ journal: Journal, _ http: CurlClient) throws -> (DemoWorld, password: String) {
    if journal["plan"] == nil {
      try journal.record("world", UUID().uuidString.lowercased())
      try journal.record("begun", TimeSource.system.now().description)
      try journal.record("password", Self.newPassword())
      try journal.record("plan", "\(seed ?? 1) \(people ?? 200)")
    }
    let plan = journal["plan"]?.split(separator: " ").compactMap { UInt64($0) } ?? []
    guard plan.count == 2 else { throw DemoError("\(journal.path) is not a journal of the demo.") }
    let (seed, count) = (plan[0], Int(plan[1]))
    guard seed == self.seed ?? seed, count == people ?? count else {
      throw DemoError(
        """
        \(journal.path) is that of a world with --seed \(seed) --people \(count): remove that one first, or name \
        another --journal.
        """)
    }
    guard let password = journal["password"], let begun = journal["begun"].flatMap({ Timestamp($0) }) else {
      throw DemoError("\(journal.path) is not a journal of the demo.")
    }
    let origin = url.hasSuffix("/") ? String(url.dropLast()) : url
    let platform = DemoPlatform(origin: origin, http: http, progress: DemoProgress())
    var taken: Set<String> = []
    let people = (0..<count).map { index in
      DemoPerson(index, seed: seed, taken: &taken) { username, displayName, email in
        DemoAccount(platform) {
          try await DemoPeople.signIn(
            index, username, email: email, displayName: displayName, password: password, platform: platform,
            journal: journal)
        }
      }
    }
    let world = DemoWorld(
      seed: seed, platform: platform, journal: journal, progress: platform.progress,
      uploads: Uploads(platform: platform, journal: journal), people: people,
      owner: try (owner ?? journal["owner"]).map { try signedUp($0, platform, journal) }, begun: begun)
    return (world, password)
  }

  /// The owner with the password that was given at the first run.
  private func signedUp(_ username: String, _ platform: DemoPlatform, _ journal: Journal) throws -> DemoOwner {
    if journal["owner"] != username {
      if isatty(STDIN_FILENO) == 1 { platform.progress.say("The password of \(username):") }
      guard let password = readLine(), !password.isEmpty else {
        throw DemoError("Give the password of \(username) on standard input.")
      }
      try journal.record("owner.password", password)
      try journal.record("owner", username)
    }
    return DemoOwner(username, password: journal["owner.password"] ?? "", platform: platform, journal: journal)
  }

  /// Random, because a platform may be reachable by others.
  private static func newPassword() -> String {
    let letters = Array("abcdefghijkmnpqrstuvwxyz")
    let groups = (0..<3).map { _ in String((0..<4).compactMap { _ in letters.randomElement() }) }
    return groups.joined(separator: "-")
  }
}
