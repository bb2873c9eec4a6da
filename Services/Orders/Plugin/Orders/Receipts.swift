import Contracts
import HTTPServing
import Persistence
import ServiceKit

/// Receipts of paid orders, as data and as an HTML page.
struct Receipts: Feature {
  let core: OrdersCore

  init(_ core: OrdersCore) { self.core = core }

  func register(in routes: inout Routes) {
    routes.on(OrdersAPI.GetReceipt.self) { request, call in try await receipt(request.id, call) }
    routes.on(OrdersAPI.GetReceiptPage.self) { request, call in
      let page = ReceiptPage.html(try await receipt(request.id, call))
      return Content(mediaType: "text/html; charset=utf-8", bytes: Array(page.utf8))
    }
  }

  private func receipt(_ id: OrderID, _ call: Call) async throws -> Receipt {
    let user = try call.user
    let (order, paidWith) = try await core.database.readAudited(by: call.staffActor) { db -> (Order, String) in
      let order = try core.view.one(id, in: db)
      guard order.ownerID == user.id || user.fulfilsOrders else { throw Problem(.orderNotFound) }
      let payment = try core.view.payments.list(of: id, in: db).first { $0.status == .succeeded }
      return (order, payment?.provider.rawValue ?? (order.credit.amount > 0 ? "credit" : "free"))
    } as: { order, _ in
      order.ownerID == user.id ? nil : AuditedRead("receipt.viewed", object: "order:\(id)")
    }
    guard let placedAt = order.placedAt else { throw Problem(.orderNotPaid) }
    return Receipt(
      orderID: order.id,
      buyer: await name(of: order.ownerID),
      placedAt: placedAt,
      lines: order.lines,
      subtotal: order.subtotal,
      tax: order.tax,
      shipping: order.shipping,
      total: order.total,
      refunded: order.refunded,
      paidWith: paidWith
    )
  }

  /// Names are stored by auth. A receipt without a name is better than an error.
  private func name(of user: UserID?) async -> String? {
    guard let user else { return nil }
    return try? await core.auth.send(AuthAPI.GetPublicNames(users: [user])).items.first?.displayName
  }
}

/// A printable receipt: one page without scripts or external resources.
enum ReceiptPage {
  static func html(_ receipt: Receipt) -> String {
    let lines = receipt.lines.map { line in
      """
      <tr><td>\(line.title.htmlEscaped)</td><td>\(line.quantity)</td><td>\(line.unitPrice)</td><td>\(line.net)</td>\
      <td>\(line.tax)</td><td>\(line.gross)</td></tr>
      """
    }
    var sums = [
      ("Subtotal", receipt.subtotal), ("Shipping", receipt.shipping), ("Tax", receipt.tax), ("Total", receipt.total),
    ]
    if receipt.refunded.amount > 0 { sums.append(("Refunded", receipt.refunded)) }
    let footer = sums.map { "<tr><th colspan=\"5\">\($0.0)</th><td>\($0.1)</td></tr>" }
    return """
      <!doctype html>
      <html lang="en"><head><meta charset="utf-8"><title>Receipt \(receipt.orderID)</title>
      <style>body{font:14px sans-serif;margin:2em}table{border-collapse:collapse}td,th{padding:.3em .8em;text-align:right}\
      td:first-child,th:first-child{text-align:left}tr{border-bottom:1px solid #ccc}</style></head>
      <body><h1>Receipt</h1>
      <p>Order \(receipt.orderID)<br>\(receipt.buyer.map { "For \($0.htmlEscaped)<br>" } ?? "")\(receipt.placedAt)<br>\
      Paid with \(receipt.paidWith.htmlEscaped)</p>
      <table><thead><tr><th>Item</th><th>Quantity</th><th>Price</th><th>Net</th><th>Tax</th><th>Gross</th></tr></thead>
      <tbody>\(lines.joined())</tbody><tfoot>\(footer.joined())</tfoot></table></body></html>
      """
  }
}
