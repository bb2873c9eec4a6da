import Contracts

extension Routes {
  /// Lets the gateway ask what links to the service's objects show.
  mutating func addPreviews() {
    guard !previewFinders.isEmpty else { return }
    on(LinkPreviewsAPI.Get.self) { [previewFinders] request, _ in
      guard let preview = try await previewFinders[request.kind.rawValue]?(request.id) else {
        throw Problem(.notFound)
      }
      return preview
    }
  }

  /// The mistakes in the handlers of the previews.
  var previewViolations: [String] {
    let declared = Set(manifest.previews)
    return declared.filter { previewFinders[$0] == nil }.map { "preview \($0) has no handler" }
      + previewFinders.keys.filter { !declared.contains($0) }.map {
        "preview \($0) is handled but not declared in the manifest"
      }
  }
}
