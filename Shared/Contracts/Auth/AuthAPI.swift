/// Accounts, sessions, profiles, privacy and notifications. Each area's endpoints are declared in a separate file.
public enum AuthAPI: ServiceAPI {
  public static let name = "auth"
  public static let summary = "Accounts, sign-in, sessions, profiles, privacy and notifications"
  public static let endpoints: [any Endpoint.Type] = [
    // SignIn.swift
    SignUp.self, LogIn.self, SignInAsGuest.self, Upgrade.self, SignInWithProvider.self, IssueToken.self, GetKeys.self,
    GetIssuer.self,
    // Sessions.swift
    Refresh.self, LogOut.self, ListSessions.self, EndSession.self, ListRevokedSessions.self,
    // Passwords.swift
    ForgotPassword.self, ResetPassword.self, ChangePassword.self, VerifyEmail.self, ResendVerification.self,
    ChangeEmail.self,
    // Profiles.swift
    GetMe.self, UpdateMe.self, GetUser.self, SearchUsers.self, GetCloudRecord.self, GetDeviceRecord.self,
    ListFitnessLevels.self, Connect.self, Disconnect.self,
    // PublicNames.swift
    GetPublicNames.self, SetSubscribed.self,
    // Privacy.swift
    GetSettings.self, PutSettings.self, GetConsents.self, PutConsents.self, ExportMe.self, DeleteMe.self,
    // Notifications.swift
    PutDevice.self, DeleteDevice.self, ListReminders.self, CreateReminder.self, DeleteReminder.self,
    // Administration.swift
    AdminListUsers.self, AdminUpdateUser.self, SearchAudit.self,
  ]
}
