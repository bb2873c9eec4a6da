import NIOCore
import Testing

@testable import GatewayService

/// The received bytes that a connection holds.
struct InboundBufferTests {
  /// A caller whose requests overlap the reads: there is never a moment without a rest.
  @Test func bytesThatHaveBeenReadAreReleased() {
    var inbound = ByteBuffer()
    let (first, second) = ([UInt8](repeating: 1, count: 500), [UInt8](repeating: 2, count: 500))
    inbound.receive(ByteBuffer(bytes: first))
    for _ in 0..<1000 {
      inbound.receive(ByteBuffer(bytes: second + first))
      #expect(inbound.readBytes(length: 1000) == first + second)
    }
    #expect(inbound.readableBytes == 500)
    #expect(inbound.storageCapacity < 16_384)
  }
}
