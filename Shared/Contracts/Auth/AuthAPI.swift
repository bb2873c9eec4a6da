/// Accounts, sessions, profiles, privacy and notifications. An area's endpoints and problems are in the file named
/// below, the types that they exchange beside it.
public enum AuthAPI: ServiceAPI {
  public static let name = "auth"
  public static let summary = "Accounts, sign-in, sessions, profiles, privacy and notifications"
  public static let endpoints: [any Endpoint.Type] = [
    // SignInEndpoints.swift
    SignUp.self, LogIn.self, SignInAsGuest.self, Upgrade.self, SignInWithProvider.self, ListSignInProviders.self,
    IssueToken.self, GetKeys.self, GetIssuer.self,
    // FactorEndpoints.swift
    CompleteLogIn.self, Prove.self, GetFactors.self, EnrolTOTP.self, ConfirmTOTP.self, DeleteTOTP.self,
    RenewRecoveryCodes.self,
    // PasskeyEndpoints.swift
    PasskeyRegistrationOptions.self, AddPasskey.self, ListPasskeys.self, RenamePasskey.self, DeletePasskey.self,
    LogInPasskeyOptions.self, LogInWithPasskey.self, ProofPasskeyOptions.self,
    // IdentityEndpoints.swift
    ListIdentities.self, DeleteIdentity.self,
    // SessionEndpoints.swift
    Refresh.self, RenewSession.self, LogOut.self, ListSessions.self, EndSession.self, ListRevokedSessions.self,
    // SessionUseEndpoints.swift
    ReportSessionUses.self, DenySignIn.self,
    // PasswordEndpoints.swift
    ForgotPassword.self, ResetPassword.self, ChangePassword.self, VerifyEmail.self, ResendVerification.self,
    ChangeEmail.self,
    // ProfileEndpoints.swift
    GetMe.self, UpdateMe.self, GetUser.self, SearchUsers.self, GetCloudRecord.self, GetDeviceRecord.self,
    ListFitnessLevels.self,
    // PublicNameEndpoints.swift
    GetPublicNames.self, GetVerifiedAddresses.self, SetSubscribed.self,
    // PrivacyEndpoints.swift
    GetSettings.self, PutSettings.self, GetConsents.self, PutConsents.self, ExportMe.self, DeleteMe.self,
    // NotificationEndpoints.swift
    PutDevice.self, DeleteDevice.self, ListReminders.self, CreateReminder.self, DeleteReminder.self,
    // AdministrationEndpoints.swift
    AdminListUsers.self, AdminUpdateUser.self, AdminDeleteUser.self, AdminListSessions.self, AdminEndSession.self,
    AdminEndSessions.self,
    // AuditEndpoints.swift
    SearchAudit.self, ExportAudit.self,
    // BackgroundWorkEndpoints.swift
    AdminListDeadLetters.self, AdminRetryDeadLetters.self, AdminListJobs.self, AdminRetryJobs.self,
    // FeatureEndpoints.swift
    ListFeatures.self, ReadFeatures.self, SwitchFeature.self,
    // GuardianEndpoints.swift
    GetGuardianStatus.self, PutCountry.self, AskGuardian.self, ShowGuardianPage.self, DecideAsGuardian.self,
    SendGuardianForm.self,
    // ConsentEndpoints.swift
    ListConsentPurposes.self, CheckConsent.self,
    // SchoolEndpoints.swift
    CreateSchool.self, ListSchools.self, UpdateSchool.self, AddSchoolStaff.self, RemoveSchoolStaff.self,
    ListMySchools.self, LeaveSchool.self, ListSchoolMembers.self, ImportSchoolMembers.self, UpdateSchoolMember.self,
    ResetMemberPassword.self, RemoveSchoolMember.self, ChooseFirstPassword.self,
  ]
}
