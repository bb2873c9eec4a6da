import Contracts
import Logging
import Persistence
import ServiceKit

/// Lets administrators switch off features for everyone (``FeatureSwitch``).
struct FeatureAdministration: Feature {
  private let core: AuthCore
  private let proof: RecentProof

  init(_ core: AuthCore) { (self.core, proof) = (core, RecentProof(core)) }

  func register(in routes: inout Routes) {
    routes.on(AuthAPI.ListFeatures.self) { _, _ in try await list() }
    routes.on(AuthAPI.ReadFeatures.self) { _, _ in try await list() }
    routes.on(AuthAPI.SwitchFeature.self) { request, call in
      let state = try await change(request, for: call.user, by: call.auditActor)
      await takeEffect()
      return state
    }
  }

  /// A process of auth needs no call to know them.
  func prepare() async throws { core.switches.take(try await list().items) }

  private func list() async throws -> Page<FeatureState> {
    Page(items: try await core.database.read { db in try FeatureSwitchStore.list(in: db) })
  }

  /// A switched-off feature stays off for longer than a stolen token lives, so a change requires a recent proof.
  private func change(_ request: AuthAPI.SwitchFeature, for staff: UserCaller, by actor: AuditActor) async throws
    -> FeatureState
  {
    let name = request.name.rawValue
    return try await core.database.write { tx in
      try proof.requireOfStaff(staff, in: tx)
      guard var state = try FeatureSwitchStore.list(in: tx).first(where: { $0.name == name }) else {
        throw Problem(.notFound)
      }
      try request.ifMatch?.require(state.version)
      guard request.isOn != state.isOn else { return state }
      let change = AuditChange("isOn", from: "\(state.isOn)", to: "\(request.isOn)")
      (state.isOn, state.version) = (request.isOn, state.version + 1)
      try FeatureSwitchStore.save(state, in: tx)
      try tx.audit("feature.switched", object: "feature:\(name)", by: actor, changes: [change])
      return state
    }
  }

  /// At once in this process; the others look every few seconds.
  private func takeEffect() async {
    do { try await prepare() } catch {
      core.logger.warning("cannot read the feature switches", metadata: ["error": "\(error)"])
    }
  }
}
