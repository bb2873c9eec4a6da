import NIOCore
import Synchronization

/// The queues of requests that wait for their turn, one for each event loop of the process.
final class RequestQueues: Sendable {
  private let longest: Double
  private let refused: Metrics.Counter
  private let queues = Mutex<[ObjectIdentifier: NIOLoopBound<RequestQueue>]>([:])

  /// - Parameter longest: The longest wait, in seconds.
  init(longest: Double, metrics: Metrics) {
    self.longest = longest
    refused = metrics.counter(
      "http_requests_shed_total", help: "Requests answered with 503 because too many others were before them.")
  }

  /// The queue of the current event loop.
  func queue(of loop: any EventLoop) -> RequestQueue {
    let bound = queues.withLock { queues in
      if let known = queues[ObjectIdentifier(loop)] { return known }
      let made = NIOLoopBound(RequestQueue(loop, longest: longest, refused: refused), eventLoop: loop)
      queues[ObjectIdentifier(loop)] = made
      return made
    }
    return bound.value
  }
}

/// Requests that have arrived on one event loop. One after the other is passed on, each behind the work that the one
/// before it has caused, so that the time in this queue is the time that a request waits for the processor.
final class RequestQueue {
  /// So many requests wait however long it takes: on a machine that is busy with other things, a few callers are no
  /// overload.
  private static let few = 16

  private let loop: any EventLoop
  private let refused: Metrics.Counter
  private var delay: QueueDelay
  private var waiting = CircularBuffer<(handler: RequestQueueHandler, since: Double)>()
  /// Whether a turn is scheduled on the loop.
  private var isBusy = false

  init(_ loop: any EventLoop, longest: Double, refused: Metrics.Counter) {
    (self.loop, self.refused) = (loop, refused)
    delay = QueueDelay(longest: longest)
  }

  /// - Returns: Whether the request goes on at once. Otherwise its handler is called when its turn has come.
  func arrive(_ handler: RequestQueueHandler) -> Bool {
    let now = StrictHTTP1Handler.now()
    guard isBusy else {
      delay.passedEmptyQueue(at: now)
      scheduleTurn()
      return true
    }
    waiting.append((handler, now))
    return false
  }

  private func scheduleTurn() {
    isBusy = true
    loop.assumeIsolated().execute { self.turn() }
  }

  private func turn() {
    while let (handler, since) = waiting.popFirst() {
      // Its connection has been closed.
      guard handler.isWaiting else { continue }
      let now = StrictHTTP1Handler.now()
      if delay.admits(waited: now - since, at: now) || waiting.count < Self.few {
        scheduleTurn()
        return handler.proceed()
      }
      refused.increment()
      handler.refuse()
    }
    isBusy = false
  }
}
