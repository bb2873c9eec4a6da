/// Carts, orders, payments, auctions, offers, licenses and plans. An area's endpoints and problems are in the file
/// named below, the types that they exchange beside it.
public enum OrdersAPI: ServiceAPI {
  public static let name = "orders"
  public static let summary = "Carts, orders, payments, auctions, offers, licenses and plans"
  public static let endpoints: [any Endpoint.Type] = [
    // CartEndpoints.swift
    GetCart.self, AddCartItem.self, UpdateCartItem.self, RemoveCartItem.self, QuoteCart.self, CheckOut.self,
    // OrderEndpoints.swift
    ListOrders.self, ListAllOrders.self, GetOrder.self, UpdateOrder.self, CancelOrder.self, RefundOrder.self,
    GetReceipt.self, GetReceiptPage.self,
    // PaymentEndpoints.swift
    PayOrder.self, SubmitTransaction.self, ReceiveWebhook.self, ListPaymentMethods.self, AddPaymentMethod.self,
    DeletePaymentMethod.self, GetBalance.self, ListBalanceEntries.self, GrantCredit.self,
    // AuctionEndpoints.swift
    ListAuctions.self, CreateAuction.self, GetAuction.self, CancelAuction.self, ListBids.self, PlaceBid.self,
    BuyNow.self, ListAuctionEvents.self,
    // OfferEndpoints.swift
    ListOffers.self, MakeOffer.self, GetOffer.self, CounterOffer.self, AcceptOffer.self, DeclineOffer.self,
    RetractOffer.self,
    // LicenseEndpoints.swift
    ListLicenses.self, GetLicense.self, GetDownload.self, GetLicenseCount.self, GetLicensedFiles.self,
    // PlanEndpoints.swift
    ListPlans.self, ListSubscriptions.self, Subscribe.self, EndSubscription.self, GetPricingRules.self,
    PutPricingRules.self,
  ]
}
