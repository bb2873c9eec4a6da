import Logging
import Persistence
import ServiceLifecycle

/// Appends committed audit entries to their hash chain, every second.
struct AuditChaining: Service {
  let trail: AuditTrail
  let logger: Logger

  func run() async throws {
    await cancelWhenGracefulShutdown {
      while !Task.isCancelled {
        do { while try await trail.chain() > 0 {} } catch {
          logger.warning("cannot append audit entries to the chain", metadata: ["error": "\(error)"])
        }
        do { try await Task.sleep(for: .seconds(1)) } catch { return }
      }
    }
  }
}
