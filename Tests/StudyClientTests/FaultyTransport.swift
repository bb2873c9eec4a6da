import Contracts
import Synchronization
import TestKit

@testable import StudyClient

/// The fault of one request.
enum Fault: Sendable, CaseIterable {
  case requestLost
  /// After the server has committed.
  case replyLost
  /// The process ends before the request is sent.
  case killedBefore
  case killedAfterReceiving
  case killedWhileStoring
  case killedAfterStoring

  var step: StudyClient.Step? {
    switch self {
    case .requestLost, .replyLost: nil
    case .killedBefore: .prepared
    case .killedAfterReceiving: .received
    case .killedWhileStoring: .applying
    case .killedAfterStoring: .applied
    }
  }
}

/// The process of a device has ended.
struct Killed: Error {}

/// Decides which requests fail, in their order; none once the plan is over.
final class FaultPlan: Sendable {
  private let faults: Mutex<[Fault?]>
  private let current = Mutex<Fault?>(nil)
  let happened = Counter()

  init(_ faults: [Fault?] = []) { self.faults = Mutex(faults) }

  func plan(_ faults: [Fault?]) { self.faults.withLock { $0 = faults } }

  var isOver: Bool { faults.withLock { $0.isEmpty } }

  /// Called at the steps of a synchronization; the first of a request takes its fault from the plan.
  func reach(_ step: StudyClient.Step) throws {
    if step == .prepared {
      let fault = faults.withLock { $0.isEmpty ? nil : $0.removeFirst() }
      current.withLock { $0 = fault }
    }
    guard let fault = current.withLock({ $0 }), fault.step == step else { return }
    happened.add()
    throw Killed()
  }

  func loses(_ fault: Fault) -> Bool {
    guard current.withLock({ $0 }) == fault else { return false }
    happened.add()
    return true
  }
}

/// Calls the server, loses what the plan says, and notes what the server has really done.
struct FaultyTransport: StudyTransport {
  let user: TestUser
  let plan: FaultPlan
  let ledger: Ledger
  /// Changes what the device receives.
  var tamper: @Sendable (inout SyncResponse) -> Void = { _ in }

  func synchronize(_ request: StudyAPI.Sync) async throws(CallError) -> SyncResponse {
    if plan.loses(.requestLost) { throw .notSent("lost") }
    var response = try await user.client.synchronize(request)
    ledger.note(request, response)
    if plan.loses(.replyLost) { throw .unknown("lost") }
    tamper(&response)
    return response
  }
}
