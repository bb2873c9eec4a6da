import Foundation

/// Files and folders that other users of the machine cannot read.
public enum PrivateFiles {
  /// Makes every file that the process, or a program that it starts, creates from now on private.
  static func byDefault() { umask(0o077) }

  /// Creates a folder that only its owner can enter. An existing one keeps its rights: it may have other uses.
  public static func makeFolder(_ path: String) throws {
    try FileManager.default.createDirectory(
      atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
  }

  /// Creates a file that only its owner can read, or takes the rights of others from an existing one.
  static func makeFile(_ path: String) {
    let file = open(path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
    // Whoever opens the file next reports the error.
    guard file >= 0 else { return }
    fchmod(file, 0o600)
    close(file)
  }
}
