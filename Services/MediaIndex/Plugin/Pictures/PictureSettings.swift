import ServiceKit

enum PictureSettings {
  static let cacheMegabytes = Setting<Int>(
    "media.cache.megabytes", default: 64, in: 1...65_536,
    "Memory of this process for small pictures, in MB, without Redis")

  static let all: [any SettingDescription] = [cacheMegabytes]
}
