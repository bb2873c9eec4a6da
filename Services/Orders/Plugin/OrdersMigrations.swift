import Persistence
import ServiceKit

enum OrdersMigrations {
  /// From the first release on, append to the list; never edit what has been released.
  static let all = [
    Migration(
      "orders-001", why: "the tables of the first release",
      creating: [
        CartSchema.tables, OrderSchema.tables, PaymentSchema.tables, RefundSchema.tables, LicenseSchema.tables,
        AuctionSchema.tables, OfferSchema.tables, PlanSchema.tables, LedgerSchema.tables, LedgerSchema.fixed,
        SellerSchema.tables, ReconciliationSchema.tables,
      ])
  ]

  /// The columns that hold encrypted values.
  static let sealedColumns = [
    OrderStore.addressColumn, PaymentStore.secretColumn, PaymentStore.tokenColumn, OfferStore.messageColumn,
    PayoutAccountStore.accountColumn, PayoutStore.accountColumn, PaymentMethodStore.tokenColumn,
    PaymentMethodStore.secretColumn, PaymentSettingsStore.contactColumn, SubscriptionStore.methodColumn,
    SubscriptionStore.secretColumn, PlanInvitationStore.emailColumn,
  ]
}
