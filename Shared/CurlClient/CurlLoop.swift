import CCurl
import Dispatch
import Foundation
import NIOCore
import Synchronization

/// The thread that owns libcurl's multi handle and every transfer; others communicate through a mailbox.
final class CurlLoop: Sendable {
  struct Submission: Sendable {
    let id: Int
    let request: ClientRequest
    let upload: UploadBuffer?
    let feeder: UploadFeeder?
    let isRetry: Bool
    /// The deadline of the whole request, including queueing and earlier attempts; on the loop's clock, in seconds.
    let deadline: Double?
    let continuation: CheckedContinuation<ClientResponse, any Error>
  }

  enum Command: Sendable {
    case start(Submission)
    case cancel(Int)
    /// Resumes a paused transfer.
    case resume(Int)
  }

  private struct Mailbox: ~Copyable {
    var commands: [Command] = []
    /// Whether the thread waits, or is about to.
    var isIdle = false
    var isStopping = false
    var isStopped = false
    var waiters: [CheckedContinuation<Void, Never>] = []
  }

  private let wakeUp = SocketPoll.WakeUp()
  private let mailbox = Mutex(Mailbox())
  private let counters = Mutex(CurlClient.Statistics())
  private let ids = Atomic<Int>(0)

  init(configuration: CurlClient.Configuration) {
    _ = Self.globalInit
    let thread = Thread { [self] in run(CurlLoopState(loop: self, wakeUp, configuration)) }
    thread.name = "curl"
    thread.start()
  }

  /// Once per process, before any thread uses libcurl.
  private static let globalInit: Void = {
    curl_global_init(Int(CURL_GLOBAL_DEFAULT))
    signal(SIGPIPE, SIG_IGN)
  }()

  func nextID() -> Int { ids.add(1, ordering: .relaxed).newValue }

  var statistics: CurlClient.Statistics { counters.withLock { $0 } }

  func count(_ change: (inout CurlClient.Statistics) -> Void) { counters.withLock { change(&$0) } }

  func post(_ command: Command) {
    let isStopped = mailbox.withLock { mailbox in
      if mailbox.isStopping { return true }
      mailbox.commands.append(command)
      if mailbox.isIdle {
        mailbox.isIdle = false
        wakeUp()
      }
      return false
    }
    if isStopped, case .start(let submission) = command {
      submission.upload?.close()
      submission.continuation.resume(throwing: ClientError(.shutDown, mayHaveRun: false))
    }
  }

  func shutdown() async {
    await withCheckedContinuation { continuation in
      let isStopped = mailbox.withLock { mailbox in
        if mailbox.isStopped { return true }
        mailbox.waiters.append(continuation)
        if !mailbox.isStopping {
          mailbox.isStopping = true
          // Once, because its descriptor is closed with the thread's state.
          wakeUp()
        }
        return false
      }
      if isStopped { continuation.resume() }
    }
  }

  private func run(_ state: CurlLoopState) {
    while true {
      let (commands, isStopping) = mailbox.withLock { mailbox in
        defer { mailbox.commands.removeAll(keepingCapacity: true) }
        return (mailbox.commands, mailbox.isStopping)
      }
      for command in commands { state.handle(command) }
      if isStopping { break }
      let isIdle = mailbox.withLock { mailbox in
        mailbox.isIdle = mailbox.commands.isEmpty && !mailbox.isStopping
        return mailbox.isIdle
      }
      state.turn(mayWait: isIdle)
      if isIdle { mailbox.withLock { $0.isIdle = false } }
    }
    state.stop()
    let waiters = mailbox.withLock { mailbox in
      mailbox.isStopped = true
      defer { mailbox.waiters = [] }
      return mailbox.waiters
    }
    for waiter in waiters { waiter.resume() }
  }
}
