import Persistence
import ServiceKit

enum CatalogMigrations {
  /// From the first release on, append to the list; never edit what has been released.
  static let all =
    TextIndex.migrations + [
      Migration(
        "catalog-001", why: "the tables of the first release",
        creating: [
          ListingSchema.tables, InteractionSchema.tables, ProductSchema.tables, StockSchema.tables,
          SiteSchema.tables, ExerciseSchema.tables, MessagingSchema.tables,
        ])
    ]

  /// The columns that hold encrypted values.
  static let sealedColumns = [
    ContactMessageStore.contentColumn, SubscriptionStore.requestColumn, SubscriptionStore.contentColumn,
  ]
}
