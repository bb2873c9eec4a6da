import HTTPTypes

/// The policy of the client's pages.
enum WebPolicy {
  /// Nothing but what comes from the same origin; no inline script or style, and no string becomes markup or script.
  private static let common = """
    default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; media-src 'self' blob:; \
    connect-src 'self'; manifest-src 'self'; worker-src 'self'; form-action 'self'; base-uri 'none'; \
    frame-ancestors 'none'; require-trusted-types-for 'script'
    """

  /// No code can make a policy of Trusted Types that would let strings through.
  static let pages = common + "; trusted-types 'none'"

  /// A worker is registered by its URL, which only one policy may make.
  static let pagesWithWorker = common + "; trusted-types quintet-worker"

  /// Devices that no page asks for.
  private static let permissions =
    [
      "accelerometer", "camera", "display-capture", "geolocation", "gyroscope", "magnetometer", "microphone", "midi",
      "payment", "serial", "usb",
    ].map { "\($0)=()" }.joined(separator: ", ")

  static func fields(_ policy: String) -> [HTTPField] {
    [
      ("Content-Security-Policy", policy), ("Cross-Origin-Opener-Policy", "same-origin"),
      ("Permissions-Policy", permissions),
    ].compactMap { name, value in HTTPField.Name(name).map { HTTPField(name: $0, value: value) } }
  }
}
