import Persistence
import ServiceKit

enum AuthMigrations {
  /// From the first release on, append to the list; never edit what has been released.
  static let all =
    TextIndex.migrations + [
      Migration(
        "auth-001", why: "the tables of the first release",
        creating: [
          AccountSchema.tables, SignInSchema.tables, SessionSchema.tables, PasswordSchema.tables,
          FactorSchema.tables, PrivacySchema.tables, NotificationSchema.tables, SchoolSchema.tables,
          AdministrationSchema.tables,
        ])
    ]

  /// The columns that hold encrypted values.
  static let sealedColumns = [
    AccountStore.profileColumn, SessionStore.keyColumn, EmailTokenStore.addressColumn, DeviceStore.tokenColumn,
    ReminderStore.contentColumn, SignInReportStore.addressColumn, GuardianStore.guardianColumn,
    SchoolMemberStore.numberColumn, FormerAddressStore.addressColumn, TOTPStore.secretColumn, TOTPStore.enrolmentColumn,
    PasskeyStore.nameColumn,
  ]
}
