/// Carts, orders, payments, auctions, offers, licenses and plans. An area's endpoints and problems are in the file
/// named below, the types that they exchange beside it.
public enum OrdersAPI: ServiceAPI {
  public static let name = "orders"
  public static let summary = "Carts, orders, payments, auctions, offers, licenses and plans"
  public static let endpoints: [any Endpoint.Type] = [
    // CartEndpoints.swift
    GetCart.self, AddCartItem.self, UpdateCartItem.self, RemoveCartItem.self, QuoteCart.self, CheckOut.self,
    // OrderEndpoints.swift
    ListOrders.self, ListAllOrders.self, GetOrder.self, UpdateOrder.self, CancelOrder.self, GetReceipt.self,
    GetReceiptPage.self,
    // RefundEndpoints.swift
    RefundOrder.self, ListOrderRefunds.self, ListRefunds.self, RetryRefund.self,
    // PaymentEndpoints.swift
    PayOrder.self, SetOrderRegion.self, RefreshPayment.self, SubmitTransaction.self, ReceiveWebhook.self,
    GetBalance.self, ListBalanceEntries.self, GrantCredit.self,
    // PaymentMethodEndpoints.swift
    ListPaymentMethods.self, AddPaymentMethod.self, RefreshPaymentMethod.self, DeletePaymentMethod.self,
    GetPaymentSettings.self, PutPaymentSettings.self,
    // SellerEndpoints.swift
    ListSales.self, GetSalesSummary.self, GetPayoutAccount.self, PutPayoutAccount.self, RequestPayout.self,
    ListPayouts.self, ListAllPayouts.self, GetPayoutBankAccount.self, PayPayout.self, RejectPayout.self,
    // AuctionEndpoints.swift
    ListAuctions.self, CreateAuction.self, GetAuction.self, CancelAuction.self, ListBids.self, PlaceBid.self,
    BuyNow.self, ListAuctionEvents.self, WatchAuction.self, UnwatchAuction.self, ListAuctionStrikes.self,
    LiftAuctionStrike.self,
    // OfferEndpoints.swift
    ListOffers.self, MakeOffer.self, GetOffer.self, CounterOffer.self, AcceptOffer.self, DeclineOffer.self,
    RetractOffer.self,
    // StoreKitEndpoints.swift
    ListUnmatchedPurchases.self,
    // LicenseEndpoints.swift
    ListLicenses.self, GetLicense.self, GetDownload.self, GetLicenseCount.self, GetLicensedFiles.self,
    // PlanEndpoints.swift
    ListPlans.self, ListSubscriptions.self, GetSubscription.self, Subscribe.self, UpdateSubscription.self,
    EndSubscription.self, GetPricingRules.self, PutPricingRules.self,
    // PlanMemberEndpoints.swift
    ListPlanMembers.self, InvitePlanMember.self, RemovePlanMember.self, ListPlanInvitations.self,
    DeletePlanInvitation.self, ListOwnPlanInvitations.self, AcceptPlanInvitation.self, ListPlanMemberships.self,
  ]
}
