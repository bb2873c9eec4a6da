import Crypto

/// A Lua script that Redis runs atomically, known to Redis by the SHA-1 of its text (`EVALSHA`).
public struct RedisScript: Sendable {
  let text: String
  let digest: String

  public init(_ text: String) {
    self.text = text
    digest = Insecure.SHA1.hash(data: Array(text.utf8)).map { byte in
      let hex = String(byte, radix: 16)
      return byte < 16 ? "0\(hex)" : hex
    }.joined()
  }
}
