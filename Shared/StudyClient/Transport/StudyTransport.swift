public import Contracts

/// Carries synchronizations to the server.
public protocol StudyTransport: Sendable {
  func synchronize(_ request: StudyAPI.Sync) async throws(CallError) -> SyncResponse
}

extension APIClient: StudyTransport {
  public func synchronize(_ request: StudyAPI.Sync) async throws(CallError) -> SyncResponse { try await send(request) }
}
