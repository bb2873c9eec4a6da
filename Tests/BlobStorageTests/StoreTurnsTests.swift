import Foundation
import TestKit
import Testing

@testable import BlobStorage

struct StoreTurnsTests {
  /// Pipes stand for files that take long: who opens one waits until something writes to it.
  @Test(.timeLimit(.minutes(60)))
  func largeFilesDoNotTakeTheThreadsThatReadersNeed() async throws {
    try await withLocalBlobs { blobs, folder in
      var storing = blobs
      storing.largeBytes = 0
      let known = try await folder.store([1, 2, 3], in: blobs)
      let pipes = try (0..<12).map { number in
        let path = "\(folder.path)/pipe\(number)"
        try #require(mkfifo(path, 0o600) == 0)
        return path
      }
      try await withThrowingTaskGroup(of: Void.self) { [storing] group in
        for pipe in pipes { group.addTask { try? await storing.store(fileAt: pipe, as: known) } }
        for _ in 0..<100 { #expect(try await blobs.size(of: known) == 3) }
        // Opened for both, a pipe does not wait.
        let writers = pipes.map { open($0, O_RDWR | O_NONBLOCK) }
        defer { for writer in writers { close(writer) } }
        try await group.waitForAll()
      }
    }
  }

  @Test func everyTurnComes() async throws {
    let turns = StoreTurns(2)
    let counter = Counter()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<50 {
        group.addTask {
          try await turns.run {
            await counter.begin()
            await Task.yield()
            await counter.end()
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(await counter.done == 50)
    #expect(await counter.most <= 2)
  }

  private actor Counter {
    private var running = 0
    private(set) var most = 0
    private(set) var done = 0

    func begin() {
      running += 1
      most = max(most, running)
    }

    func end() {
      running -= 1
      done += 1
    }
  }
}
