import Contracts

extension Routes {
  /// Publishes the public keys with which the service signs its calls.
  mutating func addServiceKeys(of service: String, _ identity: ServiceIdentity) {
    on(ServiceKeysAPI.Get.self) { _, _ in identity.published(by: service) }
  }
}
