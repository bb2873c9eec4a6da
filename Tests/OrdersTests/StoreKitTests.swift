import Contracts
import Crypto
import Foundation
import Persistence
import ServiceKit
import SwiftASN1
import TestKit
import Testing
import X509

@testable import OrdersService

/// Apple purchases, signed with a test certificate chain.
@Suite(.serialized)
struct StoreKitTests {
  /// Apple's certificates: a root, an intermediate and a leaf with Apple's marker extensions.
  struct Apple: Sendable {
    let root: Certificate
    private let chain: [Certificate]
    private let key: P256.Signing.PrivateKey

    /// - Parameter responder: The URL of the OCSP responder in the leaf.
    init(at now: Timestamp, marksLeaf: Bool = true, days: Double = 365, responder: String? = nil) throws {
      let (rootKey, middleKey, leafKey) = (
        P256.Signing.PrivateKey(), P256.Signing.PrivateKey(), P256.Signing.PrivateKey()
      )
      func certificate(
        _ name: String,
        _ key: P256.Signing.PrivateKey,
        by issuerName: String,
        _ issuer: P256.Signing.PrivateKey,
        _ extensions: Certificate.Extensions
      ) throws -> Certificate {
        let start = Date(timeIntervalSince1970: Double(now.unixSeconds) - 3600)
        return try Certificate(
          version: .v3,
          serialNumber: .init(),
          publicKey: .init(key.publicKey),
          notValidBefore: start,
          notValidAfter: start.addingTimeInterval(days * 86_400),
          issuer: DistinguishedName { CommonName(issuerName) },
          subject: DistinguishedName { CommonName(name) },
          signatureAlgorithm: .ecdsaWithSHA256,
          extensions: extensions,
          issuerPrivateKey: .init(issuer)
        )
      }
      func mark(_ oid: ASN1ObjectIdentifier) -> Certificate.Extension {
        Certificate.Extension(oid: oid, critical: false, value: [5, 0])
      }
      root = try certificate(
        "Root",
        rootKey,
        by: "Root",
        rootKey,
        Certificate.Extensions {
          Critical(BasicConstraints.isCertificateAuthority(maxPathLength: nil))
        }
      )
      var middle = try Certificate.Extensions { Critical(BasicConstraints.isCertificateAuthority(maxPathLength: nil)) }
      try middle.append(mark([1, 2, 840, 113635, 100, 6, 2, 1]))
      var last = try Certificate.Extensions { Critical(BasicConstraints.notCertificateAuthority) }
      if marksLeaf { try last.append(mark([1, 2, 840, 113635, 100, 6, 11, 1])) }
      if let responder {
        let access = AuthorityInformationAccess([
          .init(method: .ocspServer, location: .uniformResourceIdentifier(responder))
        ])
        try last.append(Certificate.Extension(access, critical: false))
      }
      chain = [
        try certificate("Leaf", leafKey, by: "Middle", middleKey, last),
        try certificate("Middle", middleKey, by: "Root", rootKey, middle), root,
      ]
      key = leafKey
    }

    func sign(_ payload: String, algorithm: String = "ES256", certificates: Int = 3, tampered: Bool = false) throws
      -> String
    {
      let list = try chain.prefix(certificates).map { certificate in
        var serializer = DER.Serializer()
        try serializer.serialize(certificate)
        return "\"\(Data(serializer.serializedBytes).base64EncodedString())\""
      }
      let header = #"{"alg":"\#(algorithm)","x5c":[\#(list.joined(separator: ","))]}"#
      let message = Base64URL.encode(Array(header.utf8)) + "." + Base64URL.encode(Array(payload.utf8))
      let signature = try key.signature(for: Data(message.utf8)).rawRepresentation
      let text = message + "." + Base64URL.encode(Array(signature))
      return tampered ? text.replacing(".ey", with: ".ez") : text
    }

    func pem() throws -> String { try root.serializeAsPEM().pemString }
  }

  struct Shop: Sendable {
    let host: TestPlatform
    let apple: Apple

    /// The payload of a signed transaction.
    func transaction(
      _ id: String,
      token: String,
      price: Int64 = 20_000,
      product: String = "beat",
      bundle: String = "app.archived",
      environment: String = "Sandbox",
      signedAt: Double = 0,
      revoked: Bool = false,
      expires: Double? = nil,
      original: String? = nil,
      boughtAt: Double = 0,
      extra: String = ""
    ) -> String {
      let (now, original) = (host.time.source.now().unixSeconds * 1000, original ?? "o\(id.prefix(2))")
      var fields = [
        #""transactionId":"\#(id)","originalTransactionId":"\#(original)","bundleId":"\#(bundle)""#,
        #""productId":"\#(product)","environment":"\#(environment)","appAccountToken":"\#(token)""#,
        #""price":\#(price),"currency":"USD","quantity":1,"purchaseDate":\#(now + Int64(boughtAt * 1000))"#,
        #""signedDate":\#(now + Int64(signedAt * 1000))"#,
      ]
      if revoked { fields.append(#""revocationDate":\#(now)"#) }
      if let expires { fields.append(#""expiresDate":\#(now + Int64(expires * 1000))"#) }
      return "{\(fields.joined(separator: ","))\(extra)}"
    }

    func submit(_ signed: String, _ order: Order? = nil, by user: TestUser) async throws -> StoreKitResult {
      try await user.client.send(
        OrdersAPI.SubmitTransaction(
          signedTransaction: SignedText(checked: signed), orderID: order?.id)
      )
    }

    /// Sends a server notification as Apple does.
    func notify(_ type: String, _ transaction: String, id: String = UUID().uuidString, renewal: String? = nil)
      async throws -> String?
    {
      let now = host.time.source.now().unixSeconds * 1000
      let info = try renewal.map { #","signedRenewalInfo":"\#(try apple.sign($0))""# } ?? ""
      let payload = """
        {"notificationType":"\(type)","notificationUUID":"\(id)","signedDate":\(now),"data":{"bundleId":"app.archived",\
        "environment":"Sandbox","signedTransactionInfo":"\(try apple.sign(transaction))"\(info)}}
        """
      let body = RawBody(Array(#"{"signedPayload":"\#(try apple.sign(payload))"}"#.utf8))
      return await refusal {
        _ = try await host.client.send(OrdersAPI.ReceiveWebhook(provider: .storekit, body: body))
      }
    }

    func pendingBeat(_ seller: TestUser, _ buyer: TestUser) async throws -> (Listing, Order) {
      let beat = try await host.beat(seller, exclusive: 2000, lease: nil)
      try await host.add(beat, .exclusive, to: buyer)
      return (beat, try await host.checkOut(buyer, nil))
    }
  }

  static func run(
    settings: [String: String] = [:],
    database: TestDatabase = .sqlite,
    apple make: @escaping @Sendable (Timestamp) throws -> Apple = { try Apple(at: $0) },
    _ body: (Shop) async throws -> Void
  ) async throws {
    let time = ManualTime()
    let apple = try make(time.source.now())
    try await TemporaryFolder.run { folder async throws in
      let file = "\(folder)/root.pem"
      try apple.pem().write(toFile: file, atomically: true, encoding: .utf8)
      let all = settings.merging(
        [
          "storekit.bundleId": "app.archived", "storekit.rootFile": file,
          "orders.plans":
            #"[{"name":"premium","title":"Premium","price":{"amount":499,"currency":"USD"},"months":1,"storekitProduct":"premium"}]"#,
        ]
      ) { first, _ in first }
      try await TestPlatform.orders(settings: all, database: database, time: time) { host async throws in
        try await body(Shop(host: host, apple: apple))
      }
    }
  }

  @Test func aTransactionPaysOnceHoweverOftenItComes() async throws {
    try await Self.run { shop async throws in
      let (seller, ada) = (try await shop.host.person(), try await shop.host.person())
      let (_, order) = try await shop.pendingBeat(seller, ada)
      let signed = try shop.apple.sign(shop.transaction("t1", token: order.id.rawValue))
      let outcomes = try await concurrently(0..<50) { _ in
        await refusal { _ = try await shop.submit(signed, order, by: ada) }
      }
      #expect(outcomes.allSatisfy { $0 == nil }, "\(Set(outcomes))")
      #expect(try await shop.host.order(order.id, ada).status == .placed)
      #expect(try await ada.client.send(OrdersAPI.ListLicenses()).items.count == 1)
      let (_, other) = try await shop.pendingBeat(seller, ada)
      #expect(await refusal { _ = try await shop.submit(signed, other, by: ada) } == "transaction-mismatch")
      #expect(try await shop.host.ledgerBalances())
    }
  }

  @Test func refundsAndReversalsAreFollowedInAnyOrder() async throws {
    try await Self.run { shop async throws in
      let (seller, ada) = (try await shop.host.person(), try await shop.host.person())
      let (_, order) = try await shop.pendingBeat(seller, ada)
      let bought = shop.transaction("t1", token: order.id.rawValue)
      _ = try await shop.submit(shop.apple.sign(bought), order, by: ada)
      let refunded = shop.transaction("t1", token: order.id.rawValue, signedAt: 10, revoked: true)
      #expect(try await shop.notify("REFUND", refunded, id: "n1") == nil)
      #expect(try await shop.notify("REFUND", refunded, id: "n1") == nil)
      #expect(try await shop.host.order(order.id, ada).paymentStatus == .refunded)
      #expect(try await ada.client.send(OrdersAPI.ListLicenses()).items.map(\.status) == [.revoked])
      #expect(try await seller.client.send(OrdersAPI.GetBalance()).items.first?.available == Money(0, .usd))
      // An older notification arrives late and changes nothing.
      #expect(try await shop.notify("ONE_TIME_CHARGE", bought) == nil)
      #expect(try await shop.host.order(order.id, ada).paymentStatus == .refunded)
      let reversed = shop.transaction("t1", token: order.id.rawValue, signedAt: 20)
      #expect(try await shop.notify("REFUND_REVERSED", reversed) == nil)
      #expect(try await shop.host.order(order.id, ada).paymentStatus == .paid)
      #expect(try await ada.client.send(OrdersAPI.ListLicenses()).items.map(\.status) == [.active])
      #expect(try await shop.host.ledgerBalances())

      // The refund arrives before the purchase: nothing is granted.
      let (_, late) = try await shop.pendingBeat(seller, ada)
      let gone = shop.transaction("t2", token: late.id.rawValue, signedAt: 5, revoked: true)
      #expect(try await shop.notify("REFUND", gone) == nil)
      let first = try shop.apple.sign(shop.transaction("t2", token: late.id.rawValue))
      #expect(await refusal { _ = try await shop.submit(first, late, by: ada) } == "transaction-revoked")
      #expect(try await shop.host.order(late.id, ada).status == .pendingPayment)
    }
  }

  @Test func forgeriesAndOthersTransactionsAreRefused() async throws {
    try await Self.run { shop async throws in
      let (owner, seller, ada, eve) = (
        try await shop.host.owner(), try await shop.host.person(), try await shop.host.person(),
        try await shop.host.person()
      )
      let (_, order) = try await shop.pendingBeat(seller, ada)
      let token = order.id.rawValue
      let good = shop.transaction("t1", token: token)
      let now = shop.host.time.source.now()
      func code(_ signed: String, _ order: Order?, _ person: TestUser) async -> String? {
        await refusal { _ = try await shop.submit(signed, order, by: person) }
      }
      let forged: [String] = [
        try Apple(at: now).sign(good),  // another root
        try shop.apple.sign(good, algorithm: "none"), try shop.apple.sign(good, algorithm: "HS256"),
        try shop.apple.sign(good, certificates: 2), try shop.apple.sign(good, certificates: 1),
        try shop.apple.sign(good, tampered: true), "a.b.c", "eyJ.e30", try shop.apple.sign("{}"),
        try Apple(at: now, marksLeaf: false).sign(good),
      ]
      for signed in forged { #expect(await code(signed, order, ada) == "transaction-invalid", "\(signed.prefix(60))") }
      let others = [
        shop.transaction("t1", token: token, bundle: "app.other"), shop.transaction("t1", token: token, price: 19_990),
        shop.transaction("t1", token: eve.id.rawValue), shop.transaction("t1", token: token, price: 20_001),
      ]
      for payload in others {
        #expect(await code(try shop.apple.sign(payload), order, ada) == "transaction-mismatch", "\(payload)")
      }
      #expect(await code(try shop.apple.sign(good), order, eve) == "order-not-payable")
      // A plan's transaction pays for nothing else.
      let plan = shop.transaction("p1", token: ada.id.rawValue, product: "premium", expires: 86_400)
      _ = try await shop.submit(shop.apple.sign(plan), by: ada)
      #expect(await code(try shop.apple.sign(plan), order, ada) == "transaction-mismatch")
      let goods = try await shop.host.product(owner, price: 2000)
      try await shop.host.add(goods, to: ada)
      let physical = try await shop.host.checkOut(ada, nil)
      let wrong = try shop.apple.sign(shop.transaction("t9", token: physical.id.rawValue))
      #expect(await code(wrong, physical, ada) == "transaction-mismatch")
      #expect(try await shop.host.order(order.id, ada).status == .pendingPayment)
      let unsigned = try Apple(at: now).sign(#"{"notificationType":"TEST"}"#)
      let body = RawBody(Array(#"{"signedPayload":"\#(unsigned)"}"#.utf8))
      #expect(
        await refusal { _ = try await shop.host.client.send(OrdersAPI.ReceiveWebhook(provider: .storekit, body: body)) }
          == "webhook-invalid"
      )
    }
  }

  @Test("M19: purchases in Apple's sandbox are refused unless a setting accepts them")
  func theSandboxIsSwitchedOn() async throws {
    try await Self.run(settings: ["storekit.sandbox": "false", "payments.test": "false"]) { shop async throws in
      let (seller, ada) = (try await shop.host.person(), try await shop.host.person())
      let (_, order) = try await shop.pendingBeat(seller, ada)
      let sandbox = try shop.apple.sign(shop.transaction("t1", token: order.id.rawValue))
      #expect(await refusal { _ = try await shop.submit(sandbox, order, by: ada) } == "transaction-mismatch")
      let real = try shop.apple.sign(shop.transaction("t1", token: order.id.rawValue, environment: "Production"))
      #expect(try await shop.submit(real, order, by: ada).order?.status == .placed)
    }
  }

  /// When the revocation check is unavailable, the request fails with a retryable problem.
  @Test func unansweredQuestionsAreRepeatable() async throws {
    try await Self.run { now in
      try Apple(at: now, responder: "http://127.0.0.1:1/ocsp")
    } _: { shop async throws in
      let (seller, ada) = (try await shop.host.person(), try await shop.host.person())
      let (_, order) = try await shop.pendingBeat(seller, ada)
      let signed = try shop.apple.sign(shop.transaction("t1", token: order.id.rawValue))
      #expect(await refusal { _ = try await shop.submit(signed, order, by: ada) } == "verification-unavailable")
      #expect(try await shop.host.order(order.id, ada).status == .pendingPayment)
    }
  }

  @Test func plansFollowApplesWord() async throws {
    try await Self.run { shop async throws in
      let ada = try await shop.host.person()
      let month = 30 * 86_400.0
      let first = shop.transaction("s1", token: ada.id.rawValue, product: "premium", expires: month)
      let begun = try await shop.submit(shop.apple.sign(first), by: ada).subscription
      #expect(begun?.isActive == true)
      #expect(begun?.plan == "premium")
      let renewed = shop.transaction("s1b", token: ada.id.rawValue, product: "premium", signedAt: 5, expires: 2 * month)
      #expect(try await shop.notify("DID_RENEW", renewed) == nil)
      let subscription = try #require(try await ada.client.send(OrdersAPI.ListSubscriptions()).items.first)
      #expect(subscription.until == shop.host.time.source.now().advanced(bySeconds: 2 * month))
      shop.host.time.advance(seconds: 2 * month + 86_401)
      try await shop.host.runOnce()
      #expect(try await ada.client.send(OrdersAPI.ListSubscriptions()).items.map(\.isActive) == [false])
      let reported = try await shop.host.orders.core.database.read { db in
        try db.values("SELECT data FROM outbox WHERE type = \(EntitlementChanged.type) ORDER BY id", as: String.self)
      }
      #expect(reported.count == 3)
      #expect(reported.last?.contains("false") == true)
    }
  }
}
