package import Contracts
package import Persistence

/// Applies events of one type.
package struct EventConsumer: Sendable {
  /// The effect of one event.
  package struct Effect: Sendable {
    var purpose: WritePurpose
    let apply: @Sendable (Transaction) throws -> Void
    let afterwards: @Sendable () -> Void

    package init(
      purpose: WritePurpose = .serializable, apply: @escaping @Sendable (Transaction) throws -> Void,
      afterwards: @escaping @Sendable () -> Void
    ) {
      (self.purpose, self.apply, self.afterwards) = (purpose, apply, afterwards)
    }
  }

  let effect: @Sendable (CloudEvent, _ sender: String) throws -> Effect

  package init(effect: @escaping @Sendable (CloudEvent, _ sender: String) throws -> Effect) { self.effect = effect }
}
