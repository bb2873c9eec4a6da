import Logging
import Persistence
import ServiceLifecycle

/// Makes committed audit entries links of their chain, every second.
struct AuditChaining: Service {
  let trail: AuditTrail
  let logger: Logger

  func run() async throws {
    await cancelWhenGracefulShutdown {
      while !Task.isCancelled {
        do { while try await trail.chain() > 0 {} } catch {
          logger.warning("audit entries wait for their place in the chain", metadata: ["error": "\(error)"])
        }
        do { try await Task.sleep(for: .seconds(1)) } catch { return }
      }
    }
  }
}
