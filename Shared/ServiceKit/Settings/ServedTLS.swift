extension Settings {
  /// Whether the process serves HTTPS itself, so that plain HTTP arrives only at the port for redirects.
  public var servesTLS: Bool {
    get throws(SettingError) { try self[PlatformSettings.tlsCertificate] != nil }
  }
}
