public import Contracts
import Synchronization

/// A user's study data on a device: everything can be read and changed offline, and ``sync()`` exchanges it with
/// study-sync.
///
/// The data is in one SQLite file. What a method has stored survives the death of the process and the loss of power.
/// Reads include what has not been sent yet.
public final class StudyClient: Sendable {
  /// Limits of requests.
  struct Limits: Sendable {
    var operations = 500
    /// The maximum size of the operations of a request.
    var bytes = 1 << 20
    /// The number of records in a response; the server's maximum when unset.
    var page: SyncPageSize?
  }

  /// The steps at which ``sync()`` can be interrupted by a test.
  enum Step: Sendable, CaseIterable { case prepared, received, applying, applied, refetching }

  public let user: UserID
  /// The id of this device, by which the server names it in hints.
  public let device: StudyDeviceID
  let database: DeviceDatabase
  let transport: any StudyTransport
  let time: TimeSource
  let ids: IDGenerator
  let limits: Limits
  let reach: @Sendable (Step) throws -> Void
  private let turns = Turns()
  private let broadcast = Broadcast<StoredChange>()
  /// A stream of its own, in which nothing else takes the place of a change that is to be sent.
  let localChanges = Broadcast<Void>()
  let statuses = Broadcast<SyncProgress>()
  let wakes = Broadcast<Void>()
  /// Whether the copies have been verified since the file was opened.
  private let isVerified = Mutex(false)

  /// Opens or creates the file of a user. Only its own methods may change the file; an app and its extensions can have
  /// it open at the same time.
  ///
  /// - Parameters:
  ///   - path: The file's path; its folder must exist.
  ///   - transport: Usually an ``Contracts/APIClient`` over ``URLSessionTransport`` that adds the access token.
  ///   - installation: An identifier of the installation, such as `UIDevice.identifierForVendor`. A file that was
  ///     restored from a backup on another device is thereby recognized and becomes a device of its own.
  /// - Throws: ``StudyClientError/belongsToAnotherUser``; errors of SQLite when the file cannot be opened.
  public convenience init(
    path: String, user: UserID, transport: any StudyTransport, installation: String? = nil,
    time: TimeSource = .system
  ) throws {
    try self.init(
      path: path, user: user, transport: transport, installation: installation, time: time, limits: Limits())
  }

  /// - Parameters:
  ///   - survivesPowerLoss: Whether commits wait for the disk.
  ///   - reach: Called at the steps of a synchronization; what it throws ends it there.
  init(
    path: String, user: UserID, transport: any StudyTransport, installation: String? = nil, time: TimeSource,
    limits: Limits, survivesPowerLoss: Bool = true, reach: @escaping @Sendable (Step) throws -> Void = { _ in }
  ) throws {
    (self.user, self.transport, self.time, self.limits, self.reach) = (user, transport, time, limits, reach)
    let ids = IDGenerator(time: time)
    self.ids = ids
    database = try DeviceDatabase(path: path, survivesPowerLoss: survivesPowerLoss)
    device = try database.open { db in
      let known = try DeviceState.load(db)
      if let known, known.user != user { throw StudyClientError.belongsToAnotherUser }
      var state = known ?? DeviceState(user: user, device: ids.make(), installation: installation)
      if let installation, let other = state.installation, other != installation { state.device = ids.make() }
      state.installation = installation ?? state.installation
      if state != known { try state.save(db) }
      return state.device
    }
  }

  /// Emits a value after every change of the stored data, so that what is shown can be read again. Values that are not
  /// taken in time are combined.
  public var changes: AsyncStream<StoredChange> { broadcast.stream() }

  // MARK: transactions

  func read<Value: Sendable>(_ body: @Sendable (DeviceTransaction) throws -> Value) async throws -> Value {
    let now = time.now()
    return try await database.read { db in try body(DeviceTransaction(db, now: now)) }
  }

  func write<Value: Sendable>(_ cause: StoredChange, _ body: @Sendable (DeviceTransaction) throws -> Value)
    async throws -> Value
  {
    let now = time.now()
    let value = try await database.write { db in
      let tx = try DeviceTransaction(db, now: now)
      let value = try body(tx)
      try tx.finish()
      return value
    }
    broadcast.yield(cause)
    if cause == .local { localChanges.yield(()) }
    return value
  }

  // MARK: synchronization

  /// Sends what has not been sent and stores what others have changed, until the device has everything. Synchronizations
  /// run one after the other.
  ///
  /// Interrupted anywhere, nothing is lost and nothing takes effect twice; the next one continues.
  ///
  /// - Throws: `CallError` when the server cannot be reached or refuses the user; ``StudyClientError``.
  @discardableResult
  public func sync() async throws -> SyncSummary {
    await turns.begin()
    do {
      let needsVerification = isVerified.withLock { !$0 }
      var session = SyncSession(self, verifies: needsVerification)
      let summary = try await session.run()
      isVerified.withLock { $0 = true }
      await turns.end()
      return summary
    } catch {
      await turns.end()
      throw error
    }
  }
}

/// The reason why the stored data has changed.
public enum StoredChange: Sendable, Equatable {
  /// Changed by a method of the client; there is something to send.
  case local
  /// Changed by a synchronization, or without anything to send.
  case received
}

/// The result of a synchronization.
public struct SyncSummary: Sendable, Equatable {
  public var sentOperations = 0
  public var receivedRecords = 0
  /// Operations that the server has rejected; see ``StudyClient/refusedOperations()``.
  public var refusedOperations = 0
  /// Collections of which the device's copy differed from the server's and was replaced.
  public var healed: [SyncCollection] = []
  /// Collections that still differ; the next synchronization tries again.
  public var differing: [SyncCollection] = []
  public var requests = 0
}

public enum StudyClientError: Error, Sendable, Equatable {
  /// The file has the data of another user.
  case belongsToAnotherUser
  /// The file has been erased.
  case closed
  /// An id must be a UUID.
  case invalidID(String)
  /// There is no such record on the device.
  case notFound
  /// Entries of a log never change.
  case immutable
  /// An operation is larger than a request may be, in bytes.
  case tooLarge(Int)
  /// A value cannot be sent as JSON.
  case invalidValue(String)
  /// The server has not kept to the protocol.
  case invalidResponse(String)
}
