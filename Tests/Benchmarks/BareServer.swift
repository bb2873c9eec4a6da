import Foundation
import HTTPTypes
import HummingbirdCore
import Logging
import NIOCore
import NIOPosix
import ServiceLifecycle

/// A Hummingbird server with one route and nothing around it, which shows the least that a response costs.
enum BareServer {
  /// Prints the server's URL, and serves until the process ends.
  ///
  /// - Parameter body: Makes the body of each response.
  static func run(_ type: String, _ body: @escaping @Sendable () async throws -> ByteBuffer) async throws {
    let (ports, continuation) = AsyncStream.makeStream(of: Int.self)
    let server = try HTTPServerBuilder.http1().buildServer(
      configuration: ServerConfiguration(address: .hostname("127.0.0.1", port: 0)),
      eventLoopGroup: .singletonMultiThreadedEventLoopGroup,
      logger: Logger(label: "bare") { _ in SwiftLogNoOpLogHandler() }
    ) { _, writer, _ in
      let bytes = try await body()
      try await writer.write(
        response: HTTPResponse(status: .ok, headerFields: [.contentType: type]),
        body: ResponseBody(byteBuffer: bytes)
      )
    } onServerRunning: { channel in
      continuation.yield(channel.localAddress?.port ?? 0)
    }
    async let running: Void = server.run()
    for await port in ports {
      try? FileHandle.standardOutput.write(contentsOf: Data("http://127.0.0.1:\(port)\n".utf8))
      break
    }
    try await running
  }

  /// Sends a file, which is read once.
  static func run(file path: String, type: String) async throws {
    let bytes = ByteBuffer(bytes: try Data(contentsOf: URL(fileURLWithPath: path)))
    try await run(type) { bytes }
  }
}
