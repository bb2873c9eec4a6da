import RedisClient
import ServiceKit

enum PictureSettings {
  static let cacheMegabytes = Setting<Int>(
    "media.cache.megabytes", default: 64, in: 1...65_536,
    "Memory of this process for small pictures, in MB, without Redis")

  static let redisURL = Setting<String?>(
    "media.redis.url", default: .some(nil),
    expects: "redis://host:port, with a password as redis://:password@host:port, or rediss:// by TLS", isSecret: true,
    "Redis for small pictures, shared by all instances; by default, each keeps them in its memory"
  ) { RedisAddress($0) == nil ? nil : .some($0) }

  static let all: [any SettingDescription] = [cacheMegabytes, redisURL]
}
