import NIOCore
package import Observability
import Synchronization
import Timing

/// The queues of requests that wait for their turn, one for each event loop of the process.
package final class RequestQueues: Sendable {
  private let maxWait: Double
  private let refused: Metrics.Counter
  private let queues = Mutex<[ObjectIdentifier: NIOLoopBound<RequestQueue>]>([:])

  /// - Parameter maxWait: The longest wait, in seconds.
  package init(maxWait: Double, metrics: Metrics) {
    self.maxWait = maxWait
    refused = metrics.counter(
      "http_requests_shed_total", help: "Requests answered with 503 because too many others were before them.")
  }

  /// The queue of the current event loop.
  func queue(of loop: any EventLoop) -> RequestQueue {
    let bound = queues.withLock { queues in
      if let known = queues[ObjectIdentifier(loop)] { return known }
      let made = NIOLoopBound(RequestQueue(loop, maxWait: maxWait, refused: refused), eventLoop: loop)
      queues[ObjectIdentifier(loop)] = made
      return made
    }
    return bound.value
  }
}

/// A request that waits in a ``RequestQueue``.
package protocol QueuedRequest: AnyObject {
  /// Whether its connection is still open.
  var isWaiting: Bool { get }
  /// Serves the request.
  func proceed()
  /// Answers the request with 503.
  func refuse()
}

/// Requests that have arrived on one event loop. One after the other is passed on, each behind the work that the one
/// before it has caused, so that the time in this queue is the time that a request waits for the processor.
package final class RequestQueue {
  /// So many requests wait however long it takes: on a machine that is busy with other things, a few callers are no
  /// overload.
  private static let few = 16

  private let loop: any EventLoop
  private let refused: Metrics.Counter
  private var delay: QueueDelay
  private var waiting = CircularBuffer<(request: any QueuedRequest, since: Double)>()
  /// Whether a turn is scheduled on the loop.
  private var isBusy = false

  init(_ loop: any EventLoop, maxWait: Double, refused: Metrics.Counter) {
    (self.loop, self.refused) = (loop, refused)
    delay = QueueDelay(maxWait: maxWait)
  }

  /// - Returns: Whether the request goes on at once. Otherwise it is notified when its turn has come.
  package func arrive(_ request: any QueuedRequest) -> Bool {
    let now = MonotonicClock.now()
    guard isBusy else {
      delay.passedEmptyQueue(at: now)
      scheduleTurn()
      return true
    }
    waiting.append((request, now))
    return false
  }

  private func scheduleTurn() {
    isBusy = true
    loop.assumeIsolated().execute { self.turn() }
  }

  private func turn() {
    while let (request, since) = waiting.popFirst() {
      // Its connection has been closed.
      guard request.isWaiting else { continue }
      let now = MonotonicClock.now()
      if delay.admits(waited: now - since, at: now) || waiting.count < Self.few {
        scheduleTurn()
        return request.proceed()
      }
      refused.increment()
      request.refuse()
    }
    isBusy = false
  }
}
