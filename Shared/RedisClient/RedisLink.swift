import NIOCore
import NIOPosix

/// The one connection of a ``RedisClient``, on its event loop. Commands are written as they come, many of them before
/// the first reply, and flushed together.
final class RedisLink {
  private struct Waiting {
    var bytes: ByteBuffer
    var reply: EventLoopPromise<RedisReply>
    var deadline: NIODeadline
  }

  private enum State {
    /// Nothing is tried before `until`.
    case idle(until: NIODeadline)
    case connecting(since: NIODeadline)
    case open(any Channel)
    case closed
  }

  /// More commands than this fail at once.
  private static let maxWaiting = 10_000

  private let connector: RedisConnector
  private let loop: any EventLoop
  private let timeout: TimeAmount
  private let pause: TimeAmount
  private var state = State.idle(until: .now())
  /// Commands that wait for the connection.
  private var unsent = CircularBuffer<Waiting>()
  /// Commands that wait for their replies.
  private var sent = CircularBuffer<Waiting>()
  /// Counts connections, so that an earlier one ends without consequences.
  private var generation = 0
  private var channel: (any Channel)?
  private var check: Scheduled<Void>?
  private var isFlushScheduled = false
  private var whenClosed: EventLoopPromise<Void>?

  init(_ connector: RedisConnector, timeout: TimeAmount, pause: TimeAmount) {
    (self.connector, loop, self.timeout, self.pause) = (connector, connector.loop, timeout, pause)
  }

  func send(_ command: RedisCommand, _ reply: EventLoopPromise<RedisReply>) {
    let now = NIODeadline.now()
    if case .idle(let until) = state, until <= now { connect(at: now) }
    switch state {
    case _ where unsent.count + sent.count >= Self.maxWaiting:
      reply.fail(RedisFailure(reason: "too many commands are waiting"))
    case .idle: reply.fail(RedisFailure(reason: "unavailable"))
    case .closed: reply.fail(RedisFailure(reason: "the client is closed"))
    case .connecting(let since):
      // A connection that takes longer than a reply may take is not waited for by one command after the other.
      let deadline = since + timeout
      guard deadline > now else { return reply.fail(RedisFailure(reason: "not connected yet")) }
      unsent.append(Waiting(bytes: command.bytes, reply: reply, deadline: deadline))
      scheduleCheck()
    case .open(let channel):
      write(Waiting(bytes: command.bytes, reply: reply, deadline: now + timeout), to: channel)
    }
  }

  private func write(_ command: Waiting, to channel: any Channel) {
    sent.append(command)
    channel.write(command.bytes, promise: nil)
    scheduleCheck()
    guard !isFlushScheduled else { return }
    isFlushScheduled = true
    loop.assumeIsolated().execute {
      self.isFlushScheduled = false
      channel.flush()
    }
  }

  // MARK: the connection

  private func connect(at now: NIODeadline) {
    state = .connecting(since: now)
    generation += 1
    let link = NIOLoopBound(self, eventLoop: loop)
    let replies: @Sendable () throws -> RedisReplies = { [generation] in
      try RedisReplies {
        link.value.received($0, of: generation)
      } onEnd: {
        link.value.ended($0, generation)
      }
    }
    connector.connect(replies).assumeIsolated().whenComplete { [generation] result in
      switch result {
      case .success(let channel): self.greet(channel, generation)
      case .failure(let error): self.ended(RedisFailure(reason: "cannot connect: \(error)"), generation)
      }
    }
    loop.assumeIsolated().scheduleTask(in: .seconds(RedisConnector.seconds)) { [generation] in
      guard case .connecting = self.state else { return }
      self.ended(RedisFailure(reason: "cannot connect in time"), generation)
    }
  }

  /// Through TLS, the greeting also waits for the handshake.
  private func greet(_ channel: any Channel, _ generation: Int) {
    guard generation == self.generation, case .connecting = state else { return channel.close(promise: nil) }
    self.channel = channel
    let commands = connector.greeting.map { RedisCommand($0) }
    let deadline = NIODeadline.now() + .seconds(RedisConnector.seconds)
    let replies = commands.map { command in
      let reply = loop.makePromise(of: RedisReply.self)
      write(Waiting(bytes: command.bytes, reply: reply, deadline: deadline), to: channel)
      return reply.futureResult
    }
    EventLoopFuture.whenAllSucceed(replies, on: loop).assumeIsolated().whenSuccess { replies in
      guard generation == self.generation, case .connecting = self.state else { return }
      for case .error(let reason) in replies { return self.ended(RedisFailure(reason: reason), generation) }
      self.state = .open(channel)
      while let command = self.unsent.popFirst() {
        self.write(Waiting(bytes: command.bytes, reply: command.reply, deadline: .now() + self.timeout), to: channel)
      }
      self.finishClosing()
    }
  }

  private func received(_ reply: RedisReply, of generation: Int) {
    guard generation == self.generation, let command = sent.popFirst() else { return }
    command.reply.succeed(reply)
    finishClosing()
  }

  /// Ends a connection: nothing is known of the commands without replies. The next attempt follows after the pause.
  private func ended(_ failure: RedisFailure, _ generation: Int) {
    guard generation == self.generation else { return }
    self.generation += 1
    channel?.close(promise: nil)
    channel = nil
    state = .idle(until: .now() + pause)
    let failed = Array(sent) + Array(unsent)
    (sent, unsent) = ([], [])
    for command in failed { command.reply.fail(failure) }
    finishClosing()
  }

  // MARK: deadlines

  /// One timer for all commands: the first of each queue is the first to be overdue.
  private func scheduleCheck() {
    guard check == nil, let deadline = [sent.first?.deadline, unsent.first?.deadline].compactMap(\.self).min() else {
      return
    }
    check = loop.assumeIsolated().scheduleTask(deadline: deadline) { self.checkDeadlines() }
  }

  private func checkDeadlines() {
    check = nil
    let now = NIODeadline.now()
    while let first = unsent.first, first.deadline <= now {
      unsent.removeFirst().reply.fail(RedisFailure(reason: "not connected yet"))
    }
    // Replies come in order, so after the missing one no other will come in time.
    if let first = sent.first, first.deadline <= now { ended(RedisFailure(reason: "no reply in time"), generation) }
    scheduleCheck()
  }

  // MARK: closing

  /// Closes the connection after the commands that wait.
  func close(_ done: EventLoopPromise<Void>) {
    if let earlier = whenClosed { return earlier.futureResult.cascade(to: done) }
    whenClosed = done
    finishClosing()
  }

  private func finishClosing() {
    guard let done = whenClosed, sent.isEmpty, unsent.isEmpty else { return }
    whenClosed = nil
    generation += 1
    state = .closed
    check?.cancel()
    channel?.close(promise: nil)
    channel = nil
    done.succeed()
  }
}
