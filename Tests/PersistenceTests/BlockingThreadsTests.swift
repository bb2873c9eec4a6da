import Dispatch
import Persistence
import TestKit
import Testing
import Threads

@Suite("Threads for blocking work")
struct BlockingThreadsTests {
  @Test("blocked threads do not keep tasks from running")
  func blockedThreadsDoNotKeepTasksFromRunning() async throws {
    // More than there are processors.
    let count = 64
    let threads = BlockingThreads(count, named: "blocked")
    let (started, startedCount) = AsyncStream.makeStream(of: Void.self)
    let release = DispatchSemaphore(value: 0)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<count {
        group.addTask {
          try await threads.run {
            startedCount.yield()
            release.wait()
          }
        }
      }
      var iterator = started.makeAsyncIterator()
      for _ in 0..<count { _ = await iterator.next() }
      // All of them wait for what only a task does.
      await Task.detached { for _ in 0..<count { release.signal() } }.value
      try await group.waitForAll()
    }
  }

  @Test("threads end with the value that started them, after what waits")
  func threadsEndWithTheirValue() async throws {
    let queue = BlockingWorkQueue<Int>(capacity: 4)
    let (taken, continuation) = AsyncStream.makeStream(of: Int.self)
    queue.startThread(named: "ending") {
      while let job = queue.take() { continuation.yield(job) }
      continuation.finish()
    }
    try queue.submit(1)
    try queue.submit(2)
    queue.closeWithoutWaiting()
    var jobs: [Int] = []
    for await job in taken { jobs.append(job) }
    #expect(jobs == [1, 2])
  }
}
