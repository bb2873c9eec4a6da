import Foundation
import NIOCore
import NIOPosix
import NIOSSL

/// Opens connections to Redis: by TCP, or by TLS with a verified certificate and name.
struct RedisConnector: Sendable {
  let address: RedisAddress
  let loop: any EventLoop

  static let seconds: Int64 = 1

  /// - Parameter replies: Makes the last handler of the connection; called on the loop.
  func connect(_ replies: @escaping @Sendable () throws -> RedisReplies) -> EventLoopFuture<any Channel> {
    tlsContext().flatMap { [address, loop] context in
      ClientBootstrap(group: loop)
        .connectTimeout(.seconds(Self.seconds))
        .channelOption(.socketOption(.so_keepalive), value: 1)
        .channelOption(.socketOption(.tcp_nodelay), value: 1)
        .channelInitializer { channel in
          channel.eventLoop.makeCompletedFuture {
            let pipeline = channel.pipeline.syncOperations
            if let context {
              let name = Self.isNumeric(address.host) ? nil : address.host
              try pipeline.addHandler(NIOSSLClientHandler(context: context, serverHostname: name))
            }
            try pipeline.addHandler(replies())
          }
        }
        .connect(host: address.host, port: Int(address.port))
    }
  }

  /// The first commands of a connection; their replies show that it can be used.
  var greeting: [[String]] { (address.password.map { [["AUTH", $0]] } ?? []) + [["PING"]] }

  /// Reads the files on another thread, for each connection, because they may have been renewed.
  private func tlsContext() -> EventLoopFuture<NIOSSLContext?> {
    guard let tls = address.tls else { return loop.makeSucceededFuture(nil) }
    return NIOThreadPool.singleton.runIfActive(eventLoop: loop) {
      var configuration = TLSConfiguration.makeClientConfiguration()
      configuration.minimumTLSVersion = .tlsv12
      if let authorities = tls.authorities { configuration.trustRoots = .file(authorities) }
      if let certificate = tls.certificate, let key = tls.key {
        configuration.certificateChain = try NIOSSLCertificate.fromPEMFile(certificate).map { .certificate($0) }
        configuration.privateKey = .privateKey(try NIOSSLPrivateKey(file: key, format: .pem))
      }
      return try NIOSSLContext(configuration: configuration)
    }
  }

  private static func isNumeric(_ host: String) -> Bool { (try? SocketAddress(ipAddress: host, port: 0)) != nil }
}

/// A command in Redis's protocol (RESP).
struct RedisCommand: Sendable {
  var bytes: ByteBuffer

  init(_ words: [String]) {
    bytes = ByteBuffer(string: "*\(words.count)\r\n")
    for word in words { append(word.utf8, count: word.utf8.count) }
  }

  init(_ words: [[UInt8]]) {
    bytes = ByteBuffer(string: "*\(words.count)\r\n")
    for word in words { append(word, count: word.count) }
  }

  private mutating func append(_ word: some Sequence<UInt8>, count: Int) {
    bytes.writeString("$\(count)\r\n")
    bytes.writeBytes(word)
    bytes.writeStaticString("\r\n")
  }
}
