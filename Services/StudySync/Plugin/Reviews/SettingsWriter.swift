import Contracts
import SyncMerge

/// Changes the synchronized settings from the server.
enum SettingsWriter {
  /// - Throws: ``SyncRejection``.
  static func set(_ fields: SyncFields, of user: UserID, _ writer: SpaceWriter) throws {
    try RecordRules.check(fields, of: .studySettings)
    let (id, space) = (user.settingsRecord, try writer.ownSpace())
    try writer.load([id])
    let version = writer.nextVersion(of: id)
    _ = try writer.apply(
      MergeChange(
        .put, version: version, seen: writer.record(id)?.content.version ?? .zero,
        fields: fields.members.map { .init(name: $0.name, value: $0.value) }),
      to: id, .studySettings, in: space)
  }
}
