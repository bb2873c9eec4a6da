import NATSClient
import TestKit
import Testing

/// The server is killed, paused and reconfigured.
struct NATSRecoveryTests {
  @Test("the server is killed again and again under publishes: what it has acknowledged is there, once")
  func killedServer() async throws {
    try await withNATS { server async throws in
      let client = try await connected(to: server)
      defer { client.close() }
      try await client.ensure(StreamConfiguration(name: "work", subjects: ["work.>"], maxAgeSeconds: 3600))
      try await client.ensure(ConsumerConfiguration(name: "all", filter: "work.>"), of: "work")
      let done = Counter()
      let publishing = Task {
        try await concurrently(0..<4) { writer in
          for number in 0..<500 {
            let id = "\(writer)-\(number)"
            try await eventually("\(id) is stored") {
              do {
                _ = try await client.publish(Array(id.utf8), to: "work.\(writer)", id: id)
                return true
              } catch let error as NATSError {
                // Not found: the server does not have its streams yet.
                #expect([.disconnected, .timeout, .notFound].contains(error.kind))
                return false
              }
            }
            done.add()
          }
        }
      }
      for step in 1...3 {
        try await eventually("publishes go on") { done.value >= step * 400 }
        await server.kill()
        try server.start()
      }
      _ = try await publishing.value
      #expect(client.reconnects >= 3)
      #expect(try await client.state(of: "work").messages == 2000)
      let consumer = NATSConsumer("all", of: "work", client)
      var seen: [String: [Int]] = [:]
      while true {
        let messages = try await consumer.fetch(upTo: 500)
        if messages.isEmpty { break }
        for message in messages {
          let parts = String(decoding: message.data, as: UTF8.self).split(separator: "-")
          seen[String(parts[0]), default: []].append(try #require(Int(parts[1])))
        }
        try await client.settle(messages, .acknowledged)
      }
      #expect(seen == Dictionary(uniqueKeysWithValues: (0..<4).map { ("\($0)", Array(0..<500)) }))
    }
  }

  @Test("a server that hangs is a timeout, and the same id is stored once after it")
  func pausedServer() async throws {
    try await withNATS { server async throws in
      let client = try await connected(to: server)
      defer { client.close() }
      try await client.ensure(StreamConfiguration(name: "work", subjects: ["work.>"], maxAgeSeconds: 3600))
      try await server.pause()
      #expect(await kind { _ = try await client.publish([1], to: "work.a", id: "a", seconds: 0.5) } == .timeout)
      server.resume()
      try await eventually("the server answers again") {
        await kind { _ = try await client.publish([1], to: "work.a", id: "a") } == nil
      }
      #expect(try await client.state(of: "work").messages == 1)
    }
  }

  @Test("subscriptions and consumers go on after a restart of the server")
  func restartedServer() async throws {
    try await withNATS { server async throws in
      let client = try await connected(to: server)
      defer { client.close() }
      try await client.ensure(StreamConfiguration(name: "work", subjects: ["work.>"], maxAgeSeconds: 3600))
      try await client.ensure(ConsumerConfiguration(name: "all", filter: "work.>"), of: "work")
      let consumer = NATSConsumer("all", of: "work", client)
      #expect(try await consumer.fetch(upTo: 1, seconds: 0.1).isEmpty)
      let connects = Counter()
      var heard = client.messages(on: "signals") { connects.add() }.makeAsyncIterator()
      try await eventually("it listens") { connects.value == 1 }
      await server.kill()
      try await eventually("the loss is seen") { client.state == .reconnecting }
      try server.start()
      try await eventually("it listens again") { connects.value == 2 }
      try await client.send([1], to: "signals")
      #expect(await heard.next()?.data == [1])
      try await eventually("the stream is there again") {
        await kind { _ = try await client.publish([2], to: "work.a", id: "a") } == nil
      }
      try await eventually("the message arrives") {
        (try? await consumer.fetch(upTo: 1))?.map(\.data) == [[2]]
      }
    }
  }

  @Test("credentials that are changed and changed back do not need a restart")
  func rotatedPassword() async throws {
    let users = { @Sendable (password: String) in
      "authorization { users = [ { user: auth, password: \"\(password)\" } ] }"
    }
    try await withNATS(configuration: { _ in users("first word") }) { server async throws in
      let client = try await connected(to: server, "nats://auth:first%20word@127.0.0.1:\(server.port)")
      defer { client.close() }
      for wrong in ["nats://127.0.0.1", "nats://auth:second@127.0.0.1", "nats://token@127.0.0.1"] {
        let stranger = NATSClient(try #require(NATSAddress("\(wrong):\(server.port)")), name: "stranger")
        #expect(await kind { try await stranger.connect() } == .refused, "\(wrong)")
        stranger.close()
      }
      try server.reload(users("second"))
      try await eventually("the client is refused") { await kind { try await client.send([1], to: "x") } == .refused }
      try server.reload(users("first word"))
      try await eventually("the client is accepted") { await kind { try await client.send([1], to: "x") } == nil }
    }
  }

  @Test("by TLS, servers and clients with certificates of another authority, or of another name, are refused")
  func tls() async throws {
    try await withNATS(configuration: { folder in
      let authority = try await Certificates.make(in: folder, name: "authority")
      let own = try await Certificates.issue(in: folder, name: "server", by: authority)
      _ = try await Certificates.issue(in: folder, name: "client", by: authority)
      _ = try await Certificates.make(in: folder, name: "stranger")
      return """
        tls { cert_file: "\(own.certificate)", key_file: "\(own.key)", ca_file: "\(authority.certificate)", verify: true }
        """
    }) { server async throws in
      let folder = server.folder
      let own = "cert=\(folder)/client.pem&key=\(folder)/client.key"
      let good = "tls://127.0.0.1:\(server.port)?cacert=\(folder)/authority.pem&\(own)"
      let client = try await connected(to: server, good)
      defer { client.close() }
      try await client.ensure(StreamConfiguration(name: "work", subjects: ["work.>"], maxAgeSeconds: 3600))
      let large = [UInt8](repeating: 7, count: 1_000_000)
      #expect(try await client.publish(large, to: "work.a", id: "a").sequence == 1)
      for bad in [
        "nats://127.0.0.1:\(server.port)",
        "tls://127.0.0.1:\(server.port)?cacert=\(folder)/authority.pem",
        "tls://127.0.0.1:\(server.port)?cacert=\(folder)/stranger.pem&\(own)",
        good.replacing("client", with: "stranger"),
        // The certificate does not name it.
        good.replacing("127.0.0.1", with: "127.1"),
        good.replacing("authority.pem", with: "missing.pem"),
      ] {
        let stranger = NATSClient(try #require(NATSAddress(bad)), name: "stranger")
        await #expect(throws: NATSError.self, "\(bad)") {
          try await stranger.connect()
          _ = try await stranger.request([1], to: "nobody")
        }
        stranger.close()
      }
    }
  }
}
