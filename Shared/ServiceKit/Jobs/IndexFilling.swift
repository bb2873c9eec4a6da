public import ServiceLifecycle

extension ServiceEnvironment {
  /// Keeps a text index in step with documents that were there before it, beside the service's other work: a service
  /// answers meanwhile, and searches find what is indexed already.
  ///
  /// - Parameters:
  ///   - what: Names it in logs, such as `products`.
  ///   - fill: Calls ``TextIndex/fill(_:version:_:)``.
  public func indexFilling(_ what: String, _ fill: @escaping @Sendable () async throws -> Void) -> any Service {
    PeriodicTask("search.fill-\(what)", per: .platform, every: .seconds(600), logger: logger, fill)
  }
}
