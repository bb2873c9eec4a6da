/// The events of a service that a consumer has rejected for good.
public struct ServiceDeadLetters: Codable, Sendable, Equatable {
  public var service: String
  public var counts: [DeadLetterCount]
  /// The newest ones, at most 100 of those that it has sent and of those that it has received.
  public var newest: [DeadLetter]
  public init(service: String, counts: [DeadLetterCount], newest: [DeadLetter]) {
    (self.service, self.counts, self.newest) = (service, counts, newest)
  }
}

public struct DeadLetterCount: Codable, Sendable, Equatable {
  public var type: String
  /// The service that rejects them.
  public var subscriber: String
  public var count: Int
  public init(type: String, subscriber: String, count: Int) {
    (self.type, self.subscriber, self.count) = (type, subscriber, count)
  }
}

/// A rejected event. Neither its data nor its subject, which may be a person, is shown.
public struct DeadLetter: Codable, Sendable, Equatable {
  public var eventID: String
  public var type: String
  public var subscriber: String
  public var attempts: Int
  public var failure: String?
  /// When the event was recorded; absent for one that has come by a broker.
  public var recordedAt: Timestamp?
  public init(
    eventID: String, type: String, subscriber: String, attempts: Int, failure: String?, recordedAt: Timestamp?
  ) {
    (self.eventID, self.type, self.subscriber) = (eventID, type, subscriber)
    (self.attempts, self.failure, self.recordedAt) = (attempts, failure, recordedAt)
  }
}

/// The background jobs of a service.
public struct ServiceJobs: Codable, Sendable, Equatable {
  public var service: String
  public var queues: [JobQueue]
  /// The jobs that were dropped last, at most 100.
  public var dropped: [DroppedJob]
  public init(service: String, queues: [JobQueue], dropped: [DroppedJob]) {
    (self.service, self.queues, self.dropped) = (service, queues, dropped)
  }
}

/// The jobs of one kind.
public struct JobQueue: Codable, Sendable, Equatable {
  public var kind: String
  /// How many should run now.
  public var due: Int
  /// How many are running or due later.
  public var later: Int
  public var dropped: Int
  /// For how many seconds the oldest of those that are due has been.
  public var oldestSeconds: Double
  /// When the next of those that are not due yet is; absent when there are none.
  public var nextAt: Timestamp?
  public init(kind: String, due: Int, later: Int, dropped: Int, oldestSeconds: Double, nextAt: Timestamp?) {
    (self.kind, self.due, self.later, self.dropped) = (kind, due, later, dropped)
    (self.oldestSeconds, self.nextAt) = (oldestSeconds, nextAt)
  }
}

/// A job that does not run again by itself. Its payload, which may be personal, is not shown.
public struct DroppedJob: Codable, Sendable, Equatable {
  public var id: String
  public var kind: String
  public var attempts: Int
  public var failure: String
  public var droppedAt: Timestamp
  public init(id: String, kind: String, attempts: Int, failure: String, droppedAt: Timestamp) {
    (self.id, self.kind, self.attempts) = (id, kind, attempts)
    (self.failure, self.droppedAt) = (failure, droppedAt)
  }
}

public struct RetriedWork: Codable, Sendable, Equatable {
  /// How many dead letters or jobs are tried again.
  public var count: Int
  public init(count: Int) { self.count = count }
}
