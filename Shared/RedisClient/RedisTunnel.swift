import Foundation
import NIOCore
import NIOPosix
import NIOSSL

/// Carries a connection of hiredis, which knows no TLS before version 1.0, through a pair of sockets to a TLS connection.
enum RedisTunnel {
  /// Connects by TLS; the certificate and its name are verified.
  ///
  /// Called by a thread that may wait. The connection ends when hiredis closes its end.
  /// - Returns: The descriptor that speaks in cleartext to hiredis, which closes it.
  static func open(to address: RedisAddress, _ tls: RedisAddress.TLS, seconds: Int64) throws -> Int32 {
    let context = try NIOSSLContext(configuration: configuration(tls))
    let name = isNumeric(address.host) ? nil : address.host
    let loop = MultiThreadedEventLoopGroup.singleton.next()
    let remote = try ClientBootstrap(group: loop)
      .connectTimeout(.seconds(seconds))
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(NIOSSLClientHandler(context: context, serverHostname: name))
        }
      }
      .connect(host: address.host, port: Int(address.port))
      .wait()
    var pair: [Int32] = [-1, -1]
    guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &pair) == 0 else {
      remote.close(promise: nil)
      throw RedisConnection.Failure(reason: "no sockets are left")
    }
    do {
      let local = try ClientBootstrap(group: loop)
        .channelInitializer { channel in
          channel.eventLoop.makeCompletedFuture {
            try channel.pipeline.syncOperations.addHandler(Forwarder(to: remote))
          }
        }
        .withConnectedSocket(pair[1])
        .wait()
      // Only now, because a channel whose initializer fails is closed twice; the server may have closed the connection.
      loop.submit { try remote.pipeline.syncOperations.addHandler(Forwarder(to: local)) }
        .whenFailure { _ in local.close(promise: nil) }
      remote.closeFuture.whenComplete { _ in local.close(promise: nil) }
    } catch {
      close(pair[0])
      remote.close(promise: nil)
      throw error
    }
    return pair[0]
  }

  private static func configuration(_ tls: RedisAddress.TLS) throws -> TLSConfiguration {
    var configuration = TLSConfiguration.makeClientConfiguration()
    configuration.minimumTLSVersion = .tlsv12
    if let authorities = tls.authorities { configuration.trustRoots = .file(authorities) }
    if let certificate = tls.certificate, let key = tls.key {
      configuration.certificateChain = try NIOSSLCertificate.fromPEMFile(certificate).map { .certificate($0) }
      configuration.privateKey = .privateKey(try NIOSSLPrivateKey(file: key, format: .pem))
    }
    return configuration
  }

  private static func isNumeric(_ host: String) -> Bool {
    (try? SocketAddress(ipAddress: host, port: 0)) != nil
  }

  /// Sends what arrives at one end to the other one, and ends with it.
  private final class Forwarder: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let target: any Channel

    init(to target: any Channel) { self.target = target }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      target.writeAndFlush(unwrapInboundIn(data), promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
      target.close(promise: nil)
      context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
  }
}
