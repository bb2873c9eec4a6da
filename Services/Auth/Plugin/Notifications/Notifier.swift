import Contracts
import Persistence
import ServiceKit
import ServiceLifecycle

/// The content of a push notification.
struct Push: Codable, Sendable, Equatable {
  var title: String
  var text: String
  /// The data for the app, beside the text for the user.
  var data: [String: String]?
}

/// Sends push notifications to a user's devices, with one job per device that commits with its cause.
struct Notifier: Worker, Feature {
  private struct Work: Codable, Sendable {
    var device: DeviceID
    var push: Push
  }

  private let jobs: DurableJobs<Work>
  private let apns: APNSClient?

  init(_ environment: ServiceEnvironment, devices: DeviceStore, apns: APNSClient?) throws {
    let database = try environment.database
    self.apns = apns
    jobs = try DurableJobs("push", environment, concurrency: 16) { work, job in
      // The phone may have another owner by now, who is signed in to it.
      guard let apns, let device = try await database.read({ db in try devices.find(work.device, in: db) }),
        device.userID == job.person
      else { return .done }
      switch try await apns.send(work.push, to: device, id: job.id) {
      case .delivered: return .done
      case .deviceGone:
        try await database.write { tx in try DeviceStore.delete(device.id, of: device.userID, in: tx) }
        return .done
      case .retry: return .retry()
      case .refused(let reason): return .drop(reason: reason)
      }
    }
  }

  /// Notifies a user as far as the user's settings allow it, after the user's quiet hours (``ReminderDelivery``).
  ///
  /// - Parameter session: The session whose devices are not notified.
  func notify(
    _ user: UserID, _ push: Push, kind: NotificationKind, sparing session: SessionID? = nil, in tx: Transaction
  ) throws {
    guard apns != nil else { return }
    let settings = try PreferenceStore.find(user, in: tx).settings
    let delivery = ReminderDelivery.of(kind, settings, at: tx.now)
    guard delivery != .never,
      try ReminderCountStore.take(kind, of: user, on: ReminderDelivery.day(settings, at: tx.now), in: tx)
    else { return }
    var dueAt: Timestamp?
    if case .at(let end) = delivery { dueAt = end }
    for device in try DeviceStore.ids(of: user, sparing: session, in: tx) {
      try jobs.add(Work(device: device, push: push), person: user, dueAt: dueAt, in: tx)
    }
  }

  func register(in routes: inout Routes) {
    routes.on(PushRequested.self) { event, tx in
      try notify(event.userID, Push(title: event.title, text: event.text), kind: event.kind ?? .other, in: tx)
    }
    routes.on(GroupPushRequested.self) { event, tx in
      for user in event.users {
        try notify(user, Push(title: event.title, text: event.text), kind: event.kind ?? .other, in: tx)
      }
    }
  }

  func runOnce() async throws -> Int { try await jobs.runOnce() }

  var name: String { jobs.name }
  var workers: [any Service] { [self] }
  func run() async throws {
    try await jobs.run()
    await apns?.shutdown()
  }
}
