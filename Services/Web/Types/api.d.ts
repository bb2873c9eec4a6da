// Made by generate.js from the OpenAPI documents in Tests/ContractTests/Goldens; do not edit.

export type Account = { id: string; email?: string; isEmailVerified: boolean; username?: string; displayName: string; hasPassword: boolean; details: ProfileDetails; visibility: ProfileVisibility; roles: ("guest" | "user" | "producer" | "artist" | "owner" | "instructor" | "support" | "administrator")[]; isSubscribed: boolean; createdAt: string; version: number };

export type Acknowledgement = { status: "received" };

export type AddedSessions = { ids: string[] };

export type AdministeredAccount = { id: string; username?: string; displayName: string; email?: string; roles: ("guest" | "user" | "producer" | "artist" | "owner" | "instructor" | "support" | "administrator")[]; isDisabled: boolean; createdAt: string };

export type AdministeredSession = { id: string; app: "archived" | "keepfit" | "yesenia" | "roomi" | "letustudy" | "account" | "web"; deviceName?: string; deviceModel?: string; appVersion?: string; address?: string; createdAt: string; lastUsedAt: string };

export type AgePreference = { from: number; to: number; weight?: "must" | "prefer" | "indifferent" };

export type AnswerScore = { answers: number; correct: number };

export type Assignment = { id: string; kind: "work" | "test"; title: string; instructions?: string; media: string[]; points: number; dueAt?: string; lateUntil?: string; resubmission: "never" | "untilGraded" | "afterReturn"; test?: CourseTest; state: "draft" | "published"; createdAt: string; version: number };

export type AttemptAnswer = { text?: string; option?: number; isTrue?: boolean };

export type AttemptQuestion = { number: number; set: string; card: string; kind: "written" | "choice" | "trueFalse"; prompt: string; options?: string[]; statement?: string; answer?: AttemptAnswer; solution?: AttemptSolution };

export type AttemptResult = { correct: number; incorrect: number; unanswered: number; score: number; durationSeconds: number };

export type AttemptSolution = { grade: "correct" | "almost" | "incorrect" | "unanswered"; answer: string; option?: number; isTrue?: boolean };

export type AttemptSummary = { id: string; quizID: string; title?: string; sets: string[]; status: "running" | "finished"; startedAt: string; deadline?: string; secondsLeft?: number; finishedAt?: string; questionCount: number; answered: number; mistakesOf?: string; result?: AttemptResult; hidesSolutions: boolean };

export type Auction = { id: string; listingID: string; sellerID: string; status: "scheduled" | "open" | "sold" | "reserveNotMet" | "noBids" | "canceled" | "unpaid"; startPrice: Money; price?: Money; minNextBid: Money; buyNow?: Money; hasReserve: boolean; reserveMet: boolean; bidCount: number; leader?: string; isLeading: boolean; ownMaximum?: Money; isWatched: boolean; opensAt: string; closesAt: string; originalClosesAt: string; extensionCount: number; sequence: number; serverTime: string; orderID?: string };

export type AuctionEvent = { sequence: number; kind: "bidPlaced" | "extended" | "sold" | "reserveNotMet" | "noBids" | "canceled" | "unpaid"; at: string; price?: Money; minNextBid: Money; bidCount: number; leader?: string; reserveMet: boolean; closesAt: string };

export type AuctionFeed = { items: AuctionEvent[]; serverTime: string };

export type AuctionStrike = { id: string; userID: string; auctionID?: string; orderID: string; at: string; liftedAt?: string };

export type AuditChange = { field: string; before?: string; after?: string };

export type AuditPage = { items: AuditRecord[]; nextCursor?: string; unavailable: string[] };

export type AuditRecord = { id: string; sequence?: number; at: string; actor: string; session?: string; address?: string; app?: "archived" | "keepfit" | "yesenia" | "roomi" | "letustudy" | "account" | "web"; device?: DeviceFacts; service?: string; action: string; object: string; changes: AuditChange[]; hash?: string; key?: string };

export type AuthAddPasskeyBody = { name: string; credential: PasskeyAttestation };

export type AuthAdminRetryDeadLettersBody = { service: string; type?: string; eventID?: string };

export type AuthAdminRetryJobsBody = { service: string; kind?: string; id?: string };

export type AuthAdminUpdateUserBody = { roles?: ("guest" | "user" | "producer" | "artist" | "owner" | "instructor" | "support" | "administrator")[]; isDisabled?: boolean; displayName?: string; username?: string; details?: ProfilePatch; reason?: string };

export type AuthAskGuardianBody = { email: string };

export type AuthChangeEmailBody = { email: string; password?: string };

export type AuthChangePasswordBody = { current?: string; password: string };

export type AuthChooseFirstPasswordBody = { login: string; temporary: string; password: string; app?: "archived" | "keepfit" | "yesenia" | "roomi" | "letustudy" | "account" | "web" };

export type AuthCompleteLogInBody = { ticket: string; totp?: string; recoveryCode?: string; passkey?: PasskeyAssertion; deviceSecret?: string };

export type AuthConfirmTOTPBody = { code: string };

export type AuthCreateReminderBody = { title: string; text?: string; localTime: string; timeZone: string; repetition?: ReminderRepetition };

export type AuthCreateSchoolBody = { name: string; country: string };

export type AuthDecideAsGuardianBody = { token: string; decision: "consent" | "refuse" | "withdraw" };

export type AuthDenySignInBody = { token: string };

export type AuthForgotPasswordBody = { email: string };

export type AuthGetPublicNamesBody = { users: string[]; usernames?: string[] };

export type AuthGetVerifiedAddressesBody = { users: string[]; emails: string[] };

export type AuthIssueTokenBody = { grant_type: "client_credentials"; client_id: string; client_secret: string; scope?: string };

export type AuthLogInBody = { login: string; password: string; app?: "archived" | "keepfit" | "yesenia" | "roomi" | "letustudy" | "account" | "web"; guest?: string; guestRefreshToken?: string; deviceSecret?: string };

export type AuthLogInPasskeyOptionsBody = { ticket?: string };

export type AuthLogInWithPasskeyBody = { credential: PasskeyAssertion; app?: "archived" | "keepfit" | "yesenia" | "roomi" | "letustudy" | "account" | "web"; guest?: string; guestRefreshToken?: string };

export type AuthProveBody = { password?: string; totp?: string; recoveryCode?: string; passkey?: PasskeyAssertion };

export type AuthPutConsentsBody = { decisions: AuthPutConsentsDecision[] };

export type AuthPutConsentsDecision = { purpose: "termsOfService" | "privacyPolicy" | "newsletter" | "analytics" | "healthData"; textVersion: string; isGiven: boolean };

export type AuthPutCountryBody = { country: string };

export type AuthPutDeviceBody = { apnsToken: string };

export type AuthRefreshBody = { refreshToken: string };

export type AuthRenamePasskeyBody = { name: string };

export type AuthRenewSessionBody = { refreshToken: string };

export type AuthReportSessionUsesBody = { uses: SessionUse[] };

export type AuthResetPasswordBody = { token: string; password: string };

export type AuthSendGuardianFormBody = { token: string; decision: "consent" | "refuse" | "withdraw" };

export type AuthSetSubscribedBody = { isSubscribed: boolean };

export type AuthSignInAsGuestBody = { app?: "archived" | "keepfit" | "yesenia" | "roomi" | "letustudy" | "account" | "web" };

export type AuthSignInWithProviderBody = { idToken: string; nonce?: string; app?: "archived" | "keepfit" | "yesenia" | "roomi" | "letustudy" | "account" | "web"; guest?: string; guestRefreshToken?: string; password?: string };

export type AuthSignUpBody = { email?: string; username?: string; displayName?: string; password: string; app?: "archived" | "keepfit" | "yesenia" | "roomi" | "letustudy" | "account" | "web" };

export type AuthSwitchFeatureBody = { isOn: boolean };

export type AuthUpdateMeBody = { displayName?: string; username?: string; details?: ProfilePatch; visibility?: ProfileVisibility };

export type AuthUpdateSchoolBody = { name?: string; isActive?: boolean };

export type AuthUpdateSchoolMemberBody = { role: "student" | "instructor" };

export type AuthUpgradeBody = { refreshToken: string; email?: string; username?: string; displayName?: string; password: string; photo?: string };

export type AuthVerifyEmailBody = { token: string; password?: string };

export type Authentication = { user: Account; accessToken: string; refreshToken: string; tokenType: string; expiresIn: number; session: string; missingFields: ("email" | "firstName" | "lastName" | "bio" | "photo" | "school" | "phone" | "birthday" | "gender" | "userGroup" | "weight" | "height" | "fitnessLevel")[]; deviceSecret?: string; missingFactor?: "enrol" | "prove"; offersPasskey?: boolean };

export type Balance = { kind: "earnings" | "credit"; available: Money; held: Money };

export type BalanceEntry = { id: string; kind: "earnings" | "credit"; amount: Money; code: string; orderID?: string; at: string };

export type BankAccount = { holder: string; iban: string };

export type Bid = { id: string; bidder: string; price: Money; at: string };

export type BidReceipt = { id: string; isLeading: boolean; price: Money; minNextBid: Money; reserveMet: boolean; closesAt: string; sequence: number; serverTime: string };

export type BudgetPreference = { from: number; to: number; currency: "AED" | "AFN" | "ALL" | "AMD" | "AOA" | "ARS" | "AUD" | "AWG" | "AZN" | "BAM" | "BBD" | "BDT" | "BHD" | "BIF" | "BMD" | "BND" | "BOB" | "BOV" | "BRL" | "BSD" | "BTN" | "BWP" | "BYN" | "BZD" | "CAD" | "CDF" | "CHE" | "CHF" | "CHW" | "CLF" | "CLP" | "CNY" | "COP" | "COU" | "CRC" | "CUP" | "CVE" | "CZK" | "DJF" | "DKK" | "DOP" | "DZD" | "EGP" | "ERN" | "ETB" | "EUR" | "FJD" | "FKP" | "GBP" | "GEL" | "GHS" | "GIP" | "GMD" | "GNF" | "GTQ" | "GYD" | "HKD" | "HNL" | "HTG" | "HUF" | "IDR" | "ILS" | "INR" | "IQD" | "IRR" | "ISK" | "JMD" | "JOD" | "JPY" | "KES" | "KGS" | "KHR" | "KMF" | "KPW" | "KRW" | "KWD" | "KYD" | "KZT" | "LAK" | "LBP" | "LKR" | "LRD" | "LSL" | "LYD" | "MAD" | "MDL" | "MGA" | "MKD" | "MMK" | "MNT" | "MOP" | "MRU" | "MUR" | "MVR" | "MWK" | "MXN" | "MXV" | "MYR" | "MZN" | "NAD" | "NGN" | "NIO" | "NOK" | "NPR" | "NZD" | "OMR" | "PAB" | "PEN" | "PGK" | "PHP" | "PKR" | "PLN" | "PYG" | "QAR" | "RON" | "RSD" | "RUB" | "RWF" | "SAR" | "SBD" | "SCR" | "SDG" | "SEK" | "SGD" | "SHP" | "SLE" | "SOS" | "SRD" | "SSP" | "STN" | "SVC" | "SYP" | "SZL" | "THB" | "TJS" | "TMT" | "TND" | "TOP" | "TRY" | "TTD" | "TWD" | "TZS" | "UAH" | "UGX" | "USD" | "USN" | "UYI" | "UYU" | "UYW" | "UZS" | "VED" | "VES" | "VND" | "VUV" | "WST" | "XAF" | "XCD" | "XCG" | "XOF" | "XPF" | "YER" | "ZAR" | "ZMW" | "ZWG"; weight?: "must" | "prefer" | "indifferent" };

export type CardAttachment = { media: string; side: "front" | "back"; name?: string };

export type CardDraftList = { drafts: CardDraftView[]; rules: ("parity" | "terms" | "headings")[]; nextPage?: number };

export type CardDraftView = { front: string; back: string; page?: number; line: number; confidence?: number };

export type CardMastery = { value: number; new: number; learning: number; young: number; mature: number };

export type CardMediaName = { name: string; side: "front" | "back" };

export type CardSchedule = { card: string; set: string; stage: "new" | "learning" | "review" | "relearning"; step?: number; stability?: number; difficulty?: number; due?: string; lastReview?: string; reviews: number; lapses: number };

export type CardTexts = { front?: string; back?: string };

export type Cart = { id: string; ownerID: string; status: "precheckout" | "postcheckout"; items: CartItem[]; subtotal?: Money; version: number };

export type CartItem = { id: string; productID?: string; variantID?: string; listingID?: string; license?: "lease" | "unlimited" | "exclusive" | "free"; title: string; quantity: number; price: Money };

export type CatalogAddVariantBody = { name: string; sku?: string; price?: Price; weightGrams?: number; onHand?: number; isShipped?: boolean };

export type CatalogAdminUpdateListingBody = { name?: string; description?: string | null; tags?: string[]; cover?: string | null; price?: Price; licenses?: LicenseOption[]; acceptsOffers?: boolean; reason: string };

export type CatalogAnswerContactMessageBody = { text: string };

export type CatalogCommentOnListingBody = { text: string };

export type CatalogCommentOnPostBody = { text: string };

export type CatalogConfirmSubscriptionBody = { token: string };

export type CatalogCreateListingBody = { kind: "beat" | "open"; name: string; description?: string; tags?: string[]; cover?: string; audio: string; price?: Price; licenses?: LicenseOption[]; acceptsOffers?: boolean };

export type CatalogCreatePostBody = { title: string; date?: string; mediaLink?: string; media?: string; description?: string };

export type CatalogCreateProductBody = { type: string; title: string; description?: string; price: Price; sku?: string; taxClass?: string; isShipped?: boolean; weightGrams?: number; images?: string[]; video?: string; onHand?: number; variants?: VariantForm[] };

export type CatalogCreateToolBody = { name: string; description?: string; link?: string; image?: string; productType?: string };

export type CatalogGetSaleItemsBody = { products: ProductReference[]; listings: string[] };

export type CatalogPutStockBody = { onHand: number; variantID?: string };

export type CatalogReduceReservationBody = { lines: StockLine[] };

export type CatalogReplyToCommentBody = { text: string };

export type CatalogReserveStockBody = { lines: StockLine[]; expiresAt: string };

export type CatalogSendConfirmationFormBody = { token: string };

export type CatalogSendContactMessageBody = { firstName: string; lastName: string; email: string; subject: string; message: string };

export type CatalogSendNewsletterIssueBody = { subject: string; text: string };

export type CatalogSendUnsubscriptionFormBody = { token: string };

export type CatalogSubscribeBody = { name: string; email: string };

export type CatalogSubscribeMeBody = { name: string; email: string };

export type CatalogUnsubscribeBody = { "List-Unsubscribe": "One-Click" };

export type CatalogUpdateCommentBody = { text: string };

export type CatalogUpdateContactMessageBody = { state: "open" | "answered" | "closed" };

export type CatalogUpdateListingBody = { name?: string; description?: string | null; tags?: string[]; cover?: string | null; audio?: string; price?: Price; licenses?: LicenseOption[]; acceptsOffers?: boolean };

export type CatalogUpdatePostBody = { title?: string; date?: string; mediaLink?: string | null; media?: string | null; description?: string | null };

export type CatalogUpdateProductBody = { type?: string; title?: string; description?: string | null; price?: Price; sku?: string | null; taxClass?: string; isShipped?: boolean; weightGrams?: number; images?: string[]; video?: string | null };

export type CatalogUpdateToolBody = { name?: string; description?: string | null; link?: string | null; image?: string | null; productType?: string | null };

export type CatalogUpdateVariantBody = { name?: string; sku?: string | null; price?: Price; weightGrams?: number | null; isShipped?: boolean | null };

export type CheckedMedia = { id: string; kind: "image" | "audio" | "video" | "document"; state: "uploaded" | "probing" | "processing" | "ready" | "failed" };

export type ChoicePreferenceOfLivingFrequency = { own?: "never" | "sometimes" | "often"; accepts?: ("never" | "sometimes" | "often")[]; weight?: "must" | "prefer" | "indifferent" };

export type ChoicePreferenceOfLivingLevel = { own?: number; accepts?: number[]; weight?: "must" | "prefer" | "indifferent" };

export type ChoicePreferenceOfSleepRhythm = { own?: "early" | "flexible" | "late"; accepts?: ("early" | "flexible" | "late")[]; weight?: "must" | "prefer" | "indifferent" };

export type ChoicePreferenceOfSmokingHabit = { own?: "never" | "outside" | "inside"; accepts?: ("never" | "outside" | "inside")[]; weight?: "must" | "prefer" | "indifferent" };

export type ClientToken = { access_token: string; token_type: string; expires_in: number; scope: string };

export type CloudRecord = { id: string; name: string; age?: number; gender?: "female" | "male" | "nonBinary" | "undisclosed"; userGroup?: string };

export type Comment = { id: string; parentID?: string; authorID?: string; author?: PublicName; text?: string; likeCount: number; replyCount: number; isLiked?: boolean; createdAt: string; editedAt?: string; version: number };

export type Consent = { purpose: "termsOfService" | "privacyPolicy" | "newsletter" | "analytics" | "healthData"; textVersion: string; isGiven: boolean; decidedAt: string };

export type ConsentCheckResult = { isGiven: boolean };

export type ConsentPurposeText = { purpose: "termsOfService" | "privacyPolicy" | "newsletter" | "analytics" | "healthData"; textVersion?: string; isNeededFor: string };

export type Consents = { current: Consent[]; history: Consent[] };

export type ContactMessage = { id: string; state: "open" | "answered" | "closed"; firstName: string; lastName: string; email: string; subject: string; message: string; answer?: ContactMessageAnswer; receivedAt: string; version: number };

export type ContactMessageAnswer = { text: string; userID: string; at: string };

export type Conversation = { id: string; folder: "inbox" | "requests"; participants: ConversationParticipant[]; listingID?: string; lastMessage?: Message; lastSequence: number; unreadCount: number; deliveredUpTo: number; readUpTo: number; isActive: boolean; isPending: boolean; isClosed: boolean; lastActivityAt: string; createdAt: string };

export type ConversationMarkers = { deliveredUpTo: number; readUpTo: number; unreadCount: number };

export type ConversationPage = { items: Conversation[]; nextCursor?: string; isStale: boolean };

export type ConversationParticipant = { userID: string; name?: PublicName; deliveredUpTo?: number; readUpTo?: number };

export type ConversationSettings = { showTyping: boolean; showPresence: boolean; showRead: boolean };

export type Course = { id: string; title: string; description?: string; term?: string; color?: string; state: "active" | "archived"; role: "owner" | "instructor" | "student"; studentCount: number; createdAt: string; version: number };

export type CourseInvitation = { id: string; email: string; role: "student" | "instructor"; createdAt: string; expiresAt: string };

export type CourseJoining = { code?: string };

export type CourseMaterial = { id: string; kind: "text" | "link" | "media" | "set"; title: string; text?: string; url?: string; media?: string; set?: string; createdAt: string; version: number };

export type CourseMember = { userID: string; name?: PublicName; role: "owner" | "instructor" | "student"; joinedAt: string };

export type CourseProgress = { student: string; name?: PublicName; assignmentCount: number; submittedCount: number; points: number; maxPoints: number; sets: CourseProgressSetProgress[] };

export type CourseProgressSetProgress = { set: string; mastery: CardMastery; studiedMilliseconds: number };

export type CourseTest = { quiz: string; attempts: number; solutions: "afterAttempt" | "afterClosing" | "never" };

export type CrashReport = { id: string; app: "archived" | "keepfit" | "yesenia" | "roomi" | "letustudy" | "account" | "web"; version: string; device: string; text: string; reportedAt: string };

export type CroppedPicture = { width: number; height: number; crop: PictureCrop };

export type DeadLetter = { eventID: string; type: string; subscriber: string; attempts: number; failure?: string; recordedAt?: string };

export type DeadLetterCount = { type: string; subscriber: string; count: number };

export type DeviceFacts = { version?: string; device?: string; network?: "wifi" | "cellular" | "wired" | "other"; battery?: number };

export type DeviceRecord = { id: string; firstName?: string; lastName?: string; dateOfBirth?: string; gender?: "female" | "male" | "nonBinary" | "undisclosed"; userGroup?: string };

export type Discussion = { id: string; authorID?: string; author?: PublicName; title?: string; text?: string; isLocked: boolean; replyCount: number; createdAt: string; editedAt?: string; version: number };

export type DiscussionReply = { id: string; authorID?: string; author?: PublicName; text?: string; createdAt: string; editedAt?: string; version: number };

export type DistancePreference = { kilometers: number; weight?: "must" | "prefer" | "indifferent" };

export type Download = { url: string; expiresAt: string };

export type DroppedJob = { id: string; kind: string; attempts: number; failure: string; droppedAt: string };

export type DueCard = { schedule: CardSchedule; fields: Record<string, never>; intervals: RatingIntervals };

export type DueCards = { counts: DueCountsCounts; cards: DueCard[] };

export type DueCounts = { total: DueCountsCounts; sets: DueCountsOfSet[] };

export type DueCountsCounts = { learning: number; review: number; new: number; laterToday: number };

export type DueCountsOfSet = { set: string; counts: DueCountsCounts };

export type EnrolledFactor = { session: ProvedSession; recoveryCodes?: string[]; passkey?: Passkey };

export type Enumeration = { name: string; choices: EnumerationChoice[] };

export type EnumerationChoice = { value: string; word: string };

export type Enumerations = { language: string; items: Enumeration[] };

export type Exercise = { id: string; name: string; muscle: "abs" | "back" | "biceps" | "calves" | "chest" | "forearms" | "fullBody" | "glutes" | "hamstrings" | "hips" | "lowerBack" | "neck" | "obliques" | "quads" | "shoulders" | "triceps"; secondaryMuscles: ("abs" | "back" | "biceps" | "calves" | "chest" | "forearms" | "fullBody" | "glutes" | "hamstrings" | "hips" | "lowerBack" | "neck" | "obliques" | "quads" | "shoulders" | "triceps")[]; equipment: "none" | "band" | "barbell" | "bench" | "cable" | "dumbbell" | "kettlebell" | "machine" | "mat" | "medicineBall" | "pullUpBar" | "stabilityBall"; level: "beginner" | "intermediate" | "advanced"; instructions: string[]; isSaved: boolean; sharing?: ExerciseSharing };

export type ExerciseSharing = { id: string; sharedAt: string; reactions: FollowerReaction[] };

export type FactorTicket = { ticket: string; factors: ("totp" | "recoveryCode" | "passkey")[]; expiresIn: number };

export type FeatureState = { name: string; isOn: boolean; version: number };

export type FitnessLevelChoice = { value: "beginner" | "intermediate" | "advanced" | "athlete"; displayValue: string };

export type FollowedTopics = { stream: string; topics: string[]; refused: RefusedTopic[] };

export type FollowerReaction = { emoji: string; count: number; isMine: boolean };

export type GatewayFollowTopicsBody = { topics: string[] };

export type GatewayReportCrashBody = { app: "archived" | "keepfit" | "yesenia" | "roomi" | "letustudy" | "account" | "web"; version: string; device: string; text: string };

export type GenderPreference = { accepts: ("female" | "male" | "nonBinary" | "undisclosed")[]; weight?: "must" | "prefer" | "indifferent" };

export type GeographicPosition = { latitude: number; longitude: number };

export type GradebookRow = { student: string; name?: PublicName; grades: GradebookRowGrade[]; points: number; maxPoints: number };

export type GradebookRowGrade = { assignment: string; submission: string; state: "submitted" | "graded" | "returned"; points?: number; isLate: boolean };

export type GuardianStatus = { state: "notNeeded" | "needed" | "asked" | "given" | "refused" | "withdrawn"; country?: string; age: number };

export type ImportReport = { created: number; updated: number; unchanged: number; rejected: ImportReportRejection[] };

export type ImportReportRejection = { line: number; errors: string[] };

export type IssuerDescription = { issuer: string; jwks_uri: string; token_endpoint: string; grant_types_supported: string[]; response_types_supported: string[]; subject_types_supported: string[]; id_token_signing_alg_values_supported: string[]; token_endpoint_auth_methods_supported: string[]; scopes_supported: string[] };

export type JSONWebKeySet = { keys: JSONWebKeySetKey[] };

export type JSONWebKeySetKey = { kty: string; crv: string; use: string; alg: string; kid: string; x: string; y: string };

export type JobQueue = { kind: string; due: number; later: number; dropped: number; oldestSeconds: number; nextAt?: string };

export type LenientOfSyncChecksum = { collection: "sets" | "cards" | "studySettings" | "workouts" | "reviews" | "studySessions" | "quizResults"; count: number; sum: string };

export type LenientOfSyncOperation = { id: string; collection: string; record: string; set?: string; action: "put" | "delete" | "restore"; version: string; seen?: string; fields?: Record<string, never>; base?: Record<string, never>; dismissed?: string[] };

export type LibraryCard = { id: string; front: string; back: string; tags: string[]; attachments: CardAttachment[] };

export type LibraryReport = { set: string; reporterID: string; reason: "spam" | "copyright" | "hate" | "sexual" | "wrong" | "other"; reportedAt: string };

export type LibrarySet = { id: string; title: string; description?: string; tags: string[]; ownerID: string; owner?: PublicName; cardCount: number; copies: number; publishedAt: string };

export type License = { id: string; listingID: string; kind: "lease" | "unlimited" | "exclusive" | "free"; holderID?: string; sellerID?: string; orderID: string; price: Money; status: "active" | "expired" | "revoked"; grantedAt: string; expiresAt?: string; terms: string; termsHash: string; files: ("taggedMP3" | "mp3" | "wav" | "stems")[]; priorLicenses: number };

export type LicenseCount = { active: number; isExclusiveSold: boolean };

export type LicenseOption = { kind: "lease" | "unlimited" | "exclusive" | "free"; price: Price; files: ("taggedMP3" | "mp3" | "wav" | "stems")[]; streams?: number; copies?: number; musicVideos?: number; days?: number; territory: string; ownerShare: number };

export type LicensedFiles = { files: ("taggedMP3" | "mp3" | "wav" | "stems")[] };

export type LinkedIdentity = { id: string; issuer: string; createdAt: string };

export type ListedWorkoutType = { id: string; name: string; intensities: ListedWorkoutTypeIntensity[] };

export type ListedWorkoutTypeIntensity = { intensity: "light" | "moderate" | "vigorous"; met: number; compendiumCode: string };

export type Listing = { id: string; kind: "beat" | "open"; ownerID: string; owner?: PublicName; name: string; tags: string[]; cover?: string; audio: string; price: Price; acceptsOffers: boolean; purchased: boolean; openForBids: boolean; likeCount: number; commentCount: number; archiveCount: number; isLiked: boolean; isArchived: boolean; createdAt: string; version: number; description?: string; licenses: LicenseOption[] };

export type ListingSummary = { id: string; kind: "beat" | "open"; ownerID: string; owner?: PublicName; name: string; tags: string[]; cover?: string; audio: string; price: Price; acceptsOffers: boolean; purchased: boolean; openForBids: boolean; likeCount: number; commentCount: number; archiveCount: number; isLiked: boolean; isArchived: boolean; createdAt: string; version: number };

export type Livestream = { id: string; hostID: string; host?: PublicName; provider: "zoom" | "link"; state: "creating" | "scheduled" | "live" | "ended" | "failed"; failure?: "refused" | "providerUnavailable"; visibility: "connections" | "everyone"; title: string; description?: string; tags: string[]; workoutType?: string; startsAt: string; minutes: number; joinURL?: string; createdAt: string; version: number };

export type LivestreamProviders = { providers: ("zoom" | "link")[] };

export type LivestreamStart = { startURL: string };

export type MatchedProfile = { fullName: string; photos: RoommatePhotos; card: RoommateCard };

export type MatchingCheckConversationBody = { users: string[] };

export type MatchingCheckRelationsBody = { user: string; others: string };

export type MatchingEditMessageBody = { text: string };

export type MatchingMarkDeliveredBody = { upTo: number };

export type MatchingMarkReadBody = { upTo: number };

export type MatchingPutRoommateProfileBody = { contact?: RoommateContact; identity?: RoommateIdentity; about?: RoommateAbout; preferences?: RoommatePreferences; photos?: RoommatePhotos; isComplete: boolean };

export type MatchingReportMessagesBody = { messageIDs: string[]; reason: "spam" | "harassment" | "hate" | "sexual" | "fraud" | "other"; comment?: string };

export type MatchingRequestConnectionBody = { userID: string; note?: string };

export type MatchingSendMessageBody = { text?: string; media?: string[]; replyTo?: string };

export type MatchingStartConversationBody = { userID: string; listingID?: string };

export type MatchingSwipeRoommateBody = { userID: string; decision: "like" | "dislike" };

export type MatchingUpdateMessageReportBody = { state: "open" | "inReview" | "resolved" | "dismissed" };

export type Media = { id: string; owner: string; kind: "image" | "audio" | "video" | "document"; state: "uploaded" | "probing" | "processing" | "ready" | "failed"; failure?: "invalidContent" | "tooLarge" | "toolMissing" | "internalError"; visibility: "owner" | "connections" | "everyone"; contentType: string; bytes?: number; sha256?: string; title?: string; description?: string; tags: string[]; workoutType?: string; productType?: string; link?: VideoLink; milliseconds?: number; width?: number; height?: number; thumbHash?: string; createdAt: string; version: number };

export type MediaAddVideoLinkBody = { url: string; title: string; description?: string; tags?: string[]; workoutType?: string; productType?: string; visibility?: "owner" | "connections" | "everyone" };

export type MediaCheckMediaBody = { user: string; object: string; media: string[] };

export type MediaCounts = { kinds: MediaCountsCount[]; tags: MediaCountsCount[]; workoutTypes: MediaCountsCount[]; productTypes: MediaCountsCount[] };

export type MediaCountsCount = { value: string; count: number };

export type MediaCreateLivestreamBody = { title: string; description?: string; tags?: string[]; workoutType?: string; visibility?: "connections" | "everyone"; startsAt?: string; minutes?: number; joinURL?: string };

export type MediaCropPictureBody = { quarterTurns?: number; rectangle?: PictureRectangle };

export type MediaLink = { url: string; expiresAt: string };

export type MediaLinkMediaBody = { file?: string; seconds?: number };

export type MediaUpdateMediaBody = { title?: string | null; description?: string | null; tags?: string[]; workoutType?: string | null; productType?: string | null; visibility?: "owner" | "connections" | "everyone" };

export type Message = { id: string; conversationID: string; sequence: number; authorID?: string; kind: "text" | "offer"; text?: string; media: string[]; replyTo?: string; offer?: OfferCard; reactions: MessageReaction[]; sentAt: string; editedAt?: string; isDeleted: boolean };

export type MessageReaction = { emoji: string; users: string[] };

export type MessageReport = { id: string; conversationID: string; reporterID: string; reportedID: string; reason: "spam" | "harassment" | "hate" | "sexual" | "fraud" | "other"; comment?: string; messages: Message[]; state: "open" | "inReview" | "resolved" | "dismissed"; createdAt: string; version: number };

export type MessageReportReceipt = { id: string };

export type MetricsSample = { at: string; seconds: number; requests: number; errors: number; latency?: number; queue?: number; commit?: number };

export type Money = { amount: number; currency: "AED" | "AFN" | "ALL" | "AMD" | "AOA" | "ARS" | "AUD" | "AWG" | "AZN" | "BAM" | "BBD" | "BDT" | "BHD" | "BIF" | "BMD" | "BND" | "BOB" | "BOV" | "BRL" | "BSD" | "BTN" | "BWP" | "BYN" | "BZD" | "CAD" | "CDF" | "CHE" | "CHF" | "CHW" | "CLF" | "CLP" | "CNY" | "COP" | "COU" | "CRC" | "CUP" | "CVE" | "CZK" | "DJF" | "DKK" | "DOP" | "DZD" | "EGP" | "ERN" | "ETB" | "EUR" | "FJD" | "FKP" | "GBP" | "GEL" | "GHS" | "GIP" | "GMD" | "GNF" | "GTQ" | "GYD" | "HKD" | "HNL" | "HTG" | "HUF" | "IDR" | "ILS" | "INR" | "IQD" | "IRR" | "ISK" | "JMD" | "JOD" | "JPY" | "KES" | "KGS" | "KHR" | "KMF" | "KPW" | "KRW" | "KWD" | "KYD" | "KZT" | "LAK" | "LBP" | "LKR" | "LRD" | "LSL" | "LYD" | "MAD" | "MDL" | "MGA" | "MKD" | "MMK" | "MNT" | "MOP" | "MRU" | "MUR" | "MVR" | "MWK" | "MXN" | "MXV" | "MYR" | "MZN" | "NAD" | "NGN" | "NIO" | "NOK" | "NPR" | "NZD" | "OMR" | "PAB" | "PEN" | "PGK" | "PHP" | "PKR" | "PLN" | "PYG" | "QAR" | "RON" | "RSD" | "RUB" | "RWF" | "SAR" | "SBD" | "SCR" | "SDG" | "SEK" | "SGD" | "SHP" | "SLE" | "SOS" | "SRD" | "SSP" | "STN" | "SVC" | "SYP" | "SZL" | "THB" | "TJS" | "TMT" | "TND" | "TOP" | "TRY" | "TTD" | "TWD" | "TZS" | "UAH" | "UGX" | "USD" | "USN" | "UYI" | "UYU" | "UYW" | "UZS" | "VED" | "VES" | "VND" | "VUV" | "WST" | "XAF" | "XCD" | "XCG" | "XOF" | "XPF" | "YER" | "ZAR" | "ZMW" | "ZWG" };

export type MoveInPreference = { from: string; to: string; weight?: "must" | "prefer" | "indifferent" };

export type NewReview = { id?: string; set: string; card: string; rating: number; at?: string; milliseconds: number; utcOffsetMinutes: number };

export type NewStudySession = { id?: string; function: "cards" | "review" | "quiz" | "course"; set?: string; at?: string; milliseconds: number; utcOffsetMinutes: number };

export type NewsletterIssue = { id: string; subject: string; text: string; recipients: number; sent: number; createdAt: string };

export type NumberedAnswer = { number: number; answer?: AttemptAnswer };

export type Offer = { id: string; parentID?: string; listingID: string; license: "lease" | "unlimited" | "exclusive" | "free"; buyerID: string; sellerID: string; amount: Money; status: "pending" | "accepted" | "declined" | "expired" | "retracted" | "countered" | "supersededBySale" | "paymentExpired"; madeBy: "buyer" | "seller"; isFinalOffer: boolean; message?: string; conversationID?: string; createdAt: string; expiresAt: string; orderID?: string };

export type OfferCard = { offerID: string; listingID: string; status: "pending" | "accepted" | "declined" | "expired" | "retracted" | "countered" | "supersededBySale" | "paymentExpired"; amount: Money; madeBy: "buyer" | "seller"; expiresAt: string };

export type Order = { id: string; ownerID?: string; status: "pendingPayment" | "placed" | "canceled" | "expired"; paymentStatus: "unpaid" | "paid" | "failed" | "partiallyRefunded" | "refunded"; fulfillmentStatus?: "processing" | "processed" | "shipped" | "delivered" | "canceled"; lines: OrderLine[]; subtotal: Money; tax: Money; shipping: Money; total: Money; credit: Money; refunded: Money; refundPending?: Money; refundFailed?: Money; shippingAddress?: PostalAddress; region?: string; carrier?: string; tracking?: string; payBy?: string; payment?: Payment; createdAt: string; placedAt?: string; changes?: OrderChange[]; version: number };

export type OrderChange = { at: string; by: string; axis: string; from?: string; to: string; reason?: string };

export type OrderLine = { position: number; productID?: string; variantID?: string; listingID?: string; license?: "lease" | "unlimited" | "exclusive" | "free"; title: string; sku?: string; image?: string; quantity: number; unitPrice: Money; taxRate: number; net: Money; tax: Money; gross: Money; fulfillmentStatus?: "processing" | "processed" | "shipped" | "delivered" | "canceled"; returned: Money };

export type OrdersAddCartItemBody = { productID?: string; variantID?: string; listingID?: string; license?: "lease" | "unlimited" | "exclusive" | "free"; quantity?: number };

export type OrdersAddPaymentMethodBody = { provider: "test" | "stripe" | "storekit"; token?: string; label: string };

export type OrdersCancelOrderBody = { lines?: number[]; reason?: string };

export type OrdersCheckOutBody = { shippingAddress?: PostalAddress; region?: string; payment?: PaymentChoice; useCredit?: boolean };

export type OrdersCounterOfferBody = { amount: Price; message?: string };

export type OrdersCreateAuctionBody = { listingID: string; startPrice: Price; reserve?: Price; buyNow?: Price; opensAt?: string; closesAt: string };

export type OrdersGrantCreditBody = { amount: Price; reason: string };

export type OrdersInvitePlanMemberBody = { email?: string; userID?: string };

export type OrdersMakeOfferBody = { listingID: string; license: "lease" | "unlimited" | "exclusive" | "free"; amount: Price; hours?: number; message?: string; conversationID?: string };

export type OrdersPayOrderBody = { provider: "test" | "stripe" | "storekit"; paymentMethodID?: string; token?: string; region?: string };

export type OrdersPayPayoutBody = { reference: string };

export type OrdersPlaceBidBody = { maxAmount: Price };

export type OrdersPutPaymentSettingsBody = { name?: string; email?: string; address?: PostalAddress };

export type OrdersPutPayoutAccountBody = { holder: string; iban: string };

export type OrdersPutPricingRulesBody = { tax: TaxRule[]; shipping: ShippingRule[] };

export type OrdersQuoteCartBody = { region?: string };

export type OrdersRefundOrderBody = { lines?: RefundedLine[]; shipping?: Price; amount?: Money; toCredit?: boolean; restock?: boolean; reason?: string };

export type OrdersRejectPayoutBody = { reason: string };

export type OrdersRequestPayoutBody = { amount: number; currency: "AED" | "AFN" | "ALL" | "AMD" | "AOA" | "ARS" | "AUD" | "AWG" | "AZN" | "BAM" | "BBD" | "BDT" | "BHD" | "BIF" | "BMD" | "BND" | "BOB" | "BOV" | "BRL" | "BSD" | "BTN" | "BWP" | "BYN" | "BZD" | "CAD" | "CDF" | "CHE" | "CHF" | "CHW" | "CLF" | "CLP" | "CNY" | "COP" | "COU" | "CRC" | "CUP" | "CVE" | "CZK" | "DJF" | "DKK" | "DOP" | "DZD" | "EGP" | "ERN" | "ETB" | "EUR" | "FJD" | "FKP" | "GBP" | "GEL" | "GHS" | "GIP" | "GMD" | "GNF" | "GTQ" | "GYD" | "HKD" | "HNL" | "HTG" | "HUF" | "IDR" | "ILS" | "INR" | "IQD" | "IRR" | "ISK" | "JMD" | "JOD" | "JPY" | "KES" | "KGS" | "KHR" | "KMF" | "KPW" | "KRW" | "KWD" | "KYD" | "KZT" | "LAK" | "LBP" | "LKR" | "LRD" | "LSL" | "LYD" | "MAD" | "MDL" | "MGA" | "MKD" | "MMK" | "MNT" | "MOP" | "MRU" | "MUR" | "MVR" | "MWK" | "MXN" | "MXV" | "MYR" | "MZN" | "NAD" | "NGN" | "NIO" | "NOK" | "NPR" | "NZD" | "OMR" | "PAB" | "PEN" | "PGK" | "PHP" | "PKR" | "PLN" | "PYG" | "QAR" | "RON" | "RSD" | "RUB" | "RWF" | "SAR" | "SBD" | "SCR" | "SDG" | "SEK" | "SGD" | "SHP" | "SLE" | "SOS" | "SRD" | "SSP" | "STN" | "SVC" | "SYP" | "SZL" | "THB" | "TJS" | "TMT" | "TND" | "TOP" | "TRY" | "TTD" | "TWD" | "TZS" | "UAH" | "UGX" | "USD" | "USN" | "UYI" | "UYU" | "UYW" | "UZS" | "VED" | "VES" | "VND" | "VUV" | "WST" | "XAF" | "XCD" | "XCG" | "XOF" | "XPF" | "YER" | "ZAR" | "ZMW" | "ZWG" };

export type OrdersRetryRefundBody = { toCredit?: boolean };

export type OrdersSetOrderRegionBody = { region: string };

export type OrdersSubmitTransactionBody = { signedTransaction: string; orderID?: string };

export type OrdersSubscribeBody = { plan: string; payment: PaymentChoice; quantity?: number };

export type OrdersUpdateCartItemBody = { quantity: number };

export type OrdersUpdateOrderBody = { status: "processing" | "processed" | "shipped" | "delivered" | "canceled"; lines?: number[]; carrier?: string; tracking?: string; reason?: string };

export type OrdersUpdateSubscriptionBody = { plan?: string; quantity?: number; renews?: boolean; payment?: PaymentChoice };

export type PageOfAdministeredAccount = { items: AdministeredAccount[]; nextCursor?: string };

export type PageOfAdministeredSession = { items: AdministeredSession[]; nextCursor?: string };

export type PageOfAssignment = { items: Assignment[]; nextCursor?: string };

export type PageOfAttemptQuestion = { items: AttemptQuestion[]; nextCursor?: string };

export type PageOfAttemptSummary = { items: AttemptSummary[]; nextCursor?: string };

export type PageOfAuction = { items: Auction[]; nextCursor?: string };

export type PageOfAuctionStrike = { items: AuctionStrike[]; nextCursor?: string };

export type PageOfBalance = { items: Balance[]; nextCursor?: string };

export type PageOfBalanceEntry = { items: BalanceEntry[]; nextCursor?: string };

export type PageOfBid = { items: Bid[]; nextCursor?: string };

export type PageOfCheckedMedia = { items: CheckedMedia[]; nextCursor?: string };

export type PageOfComment = { items: Comment[]; nextCursor?: string };

export type PageOfConsentPurposeText = { items: ConsentPurposeText[]; nextCursor?: string };

export type PageOfContactMessage = { items: ContactMessage[]; nextCursor?: string };

export type PageOfCourse = { items: Course[]; nextCursor?: string };

export type PageOfCourseInvitation = { items: CourseInvitation[]; nextCursor?: string };

export type PageOfCourseMaterial = { items: CourseMaterial[]; nextCursor?: string };

export type PageOfCourseMember = { items: CourseMember[]; nextCursor?: string };

export type PageOfCourseProgress = { items: CourseProgress[]; nextCursor?: string };

export type PageOfCrashReport = { items: CrashReport[]; nextCursor?: string };

export type PageOfDiscussion = { items: Discussion[]; nextCursor?: string };

export type PageOfDiscussionReply = { items: DiscussionReply[]; nextCursor?: string };

export type PageOfExercise = { items: Exercise[]; nextCursor?: string };

export type PageOfFeatureState = { items: FeatureState[]; nextCursor?: string };

export type PageOfFitnessLevelChoice = { items: FitnessLevelChoice[]; nextCursor?: string };

export type PageOfGradebookRow = { items: GradebookRow[]; nextCursor?: string };

export type PageOfLibraryCard = { items: LibraryCard[]; nextCursor?: string };

export type PageOfLibraryReport = { items: LibraryReport[]; nextCursor?: string };

export type PageOfLibrarySet = { items: LibrarySet[]; nextCursor?: string };

export type PageOfLicense = { items: License[]; nextCursor?: string };

export type PageOfLinkedIdentity = { items: LinkedIdentity[]; nextCursor?: string };

export type PageOfListingSummary = { items: ListingSummary[]; nextCursor?: string };

export type PageOfLivestream = { items: Livestream[]; nextCursor?: string };

export type PageOfMedia = { items: Media[]; nextCursor?: string };

export type PageOfMessage = { items: Message[]; nextCursor?: string };

export type PageOfMessageReport = { items: MessageReport[]; nextCursor?: string };

export type PageOfNewsletterIssue = { items: NewsletterIssue[]; nextCursor?: string };

export type PageOfOffer = { items: Offer[]; nextCursor?: string };

export type PageOfOrder = { items: Order[]; nextCursor?: string };

export type PageOfPasskey = { items: Passkey[]; nextCursor?: string };

export type PageOfPaymentMethod = { items: PaymentMethod[]; nextCursor?: string };

export type PageOfPayout = { items: Payout[]; nextCursor?: string };

export type PageOfPlan = { items: Plan[]; nextCursor?: string };

export type PageOfPlanInvitation = { items: PlanInvitation[]; nextCursor?: string };

export type PageOfPlanMember = { items: PlanMember[]; nextCursor?: string };

export type PageOfPlanMembership = { items: PlanMembership[]; nextCursor?: string };

export type PageOfPost = { items: Post[]; nextCursor?: string };

export type PageOfPresence = { items: Presence[]; nextCursor?: string };

export type PageOfProduct = { items: Product[]; nextCursor?: string };

export type PageOfProductType = { items: ProductType[]; nextCursor?: string };

export type PageOfProfile = { items: Profile[]; nextCursor?: string };

export type PageOfPublicName = { items: PublicName[]; nextCursor?: string };

export type PageOfQuiz = { items: Quiz[]; nextCursor?: string };

export type PageOfRefund = { items: Refund[]; nextCursor?: string };

export type PageOfRelatedUser = { items: RelatedUser[]; nextCursor?: string };

export type PageOfRelationship = { items: Relationship[]; nextCursor?: string };

export type PageOfReminder = { items: Reminder[]; nextCursor?: string };

export type PageOfSalesMonth = { items: SalesMonth[]; nextCursor?: string };

export type PageOfScannedPage = { items: ScannedPage[]; nextCursor?: string };

export type PageOfSchool = { items: School[]; nextCursor?: string };

export type PageOfSchoolMember = { items: SchoolMember[]; nextCursor?: string };

export type PageOfSchoolMembership = { items: SchoolMembership[]; nextCursor?: string };

export type PageOfSessionInfo = { items: SessionInfo[]; nextCursor?: string };

export type PageOfSharedExercise = { items: SharedExercise[]; nextCursor?: string };

export type PageOfSharedWorkout = { items: SharedWorkout[]; nextCursor?: string };

export type PageOfSignInProvider = { items: SignInProvider[]; nextCursor?: string };

export type PageOfSoldLine = { items: SoldLine[]; nextCursor?: string };

export type PageOfStudyCard = { items: StudyCard[]; nextCursor?: string };

export type PageOfStudySet = { items: StudySet[]; nextCursor?: string };

export type PageOfSubmission = { items: Submission[]; nextCursor?: string };

export type PageOfSubscription = { items: Subscription[]; nextCursor?: string };

export type PageOfSyncConflictRecord = { items: SyncConflictRecord[]; nextCursor?: string };

export type PageOfTool = { items: Tool[]; nextCursor?: string };

export type PageOfUnmatchedPurchase = { items: UnmatchedPurchase[]; nextCursor?: string };

export type PageOfUserConnection = { items: UserConnection[]; nextCursor?: string };

export type PageOfUserRelation = { items: UserRelation[]; nextCursor?: string };

export type PageOfVerifiedAddress = { items: VerifiedAddress[]; nextCursor?: string };

export type PageOfWorkout = { items: Workout[]; nextCursor?: string };

export type Passkey = { id: string; name: string; createdAt: string; lastUsedAt?: string; isBackedUp: boolean; isDistrusted: boolean };

export type PasskeyAssertion = { id: string; type: string; response: PasskeyAssertionResponse };

export type PasskeyAssertionResponse = { clientDataJSON: string; authenticatorData: string; signature: string; userHandle?: string };

export type PasskeyAttestation = { id: string; type: string; response: PasskeyAttestationResponse };

export type PasskeyAttestationResponse = { clientDataJSON: string; attestationObject: string; transports?: string[] };

export type PasskeyCreationOptions = { rp: PasskeyCreationOptionsRelyingParty; user: PasskeyCreationOptionsUser; challenge: string; pubKeyCredParams: PasskeyCreationOptionsParameter[]; timeout: number; excludeCredentials: PasskeyDescriptor[]; authenticatorSelection: PasskeyCreationOptionsSelection; attestation: string };

export type PasskeyCreationOptionsParameter = { type: string; alg: number };

export type PasskeyCreationOptionsRelyingParty = { id: string; name: string };

export type PasskeyCreationOptionsSelection = { residentKey: string; requireResidentKey: boolean; userVerification: string };

export type PasskeyCreationOptionsUser = { id: string; name: string; displayName: string };

export type PasskeyDescriptor = { type: string; id: string; transports?: string[] };

export type PasskeyRequestOptions = { challenge: string; timeout: number; rpId: string; allowCredentials: PasskeyDescriptor[]; userVerification: string };

export type Payment = { id: string; provider: "test" | "stripe" | "storekit"; status: "created" | "pending" | "requiresAction" | "succeeded" | "failed" | "canceled"; amount: Money; clientSecret?: string; failure?: string };

export type PaymentChoice = { provider: "test" | "stripe" | "storekit"; paymentMethodID?: string; token?: string };

export type PaymentMethod = { id: string; provider: "test" | "stripe" | "storekit"; label: string; state: "pending" | "requiresAction" | "ready" | "failed"; card?: PaymentMethodCard; clientSecret?: string; failure?: string; createdAt: string };

export type PaymentMethodCard = { brand: string; lastFour: string; expiryMonth: number; expiryYear: number };

export type PaymentSettings = { name?: string; email?: string; address?: PostalAddress };

export type Payout = { id: string; sellerID?: string; amount: Money; status: "requested" | "paid" | "rejected"; account?: PayoutAccount; reference?: string; reason?: string; shortfall?: Money; createdAt: string; endedAt?: string };

export type PayoutAccount = { holder: string; maskedIBAN: string };

export type PictureCrop = { quarterTurns: number; rectangle?: PictureRectangle };

export type PictureRectangle = { left: number; top: number; width: number; height: number };

export type Plan = { name: string; title: string; price: Money; months: number; features: string[]; seats?: number };

export type PlanInvitation = { id: string; subscriptionID: string; plan: string; email?: string; userID?: string; createdAt: string; expiresAt: string };

export type PlanMember = { userID: string; name?: PublicName; joinedAt: string };

export type PlanMembership = { subscriptionID: string; plan: string; isActive: boolean; joinedAt: string };

export type PlatformDeadLetters = { services: ServiceDeadLetters[]; unavailable: string[] };

export type PlatformJobs = { services: ServiceJobs[]; unavailable: string[] };

export type PlatformMetrics = { services: ServiceMetrics[]; unavailable: string[] };

export type PlatformStatus = { isAvailable: boolean; services: PlatformStatusService[] };

export type PlatformStatusService = { name: string; isAvailable: boolean };

export type Post = { id: string; title: string; date: string; mediaLink?: string; media?: string; description?: string; likeCount: number; commentCount: number; isLiked?: boolean; createdAt: string; version: number };

export type PostalAddress = { name: string; street: string; city: string; postalCode: string; region: string; phone?: string };

export type PreferenceField = { key: string; title: string; kind: "place" | "limit" | "range" | "choice" | "set" | "accepted" | "weight"; values?: string[]; minimum?: number; maximum?: number; unit?: string; isWeighted: boolean };

export type PreferenceFields = { items: PreferenceField[] };

export type Presence = { userID: string; status: "active" | "recently" | "today" | "away" };

export type Price = { amount: number; currency: "AED" | "AFN" | "ALL" | "AMD" | "AOA" | "ARS" | "AUD" | "AWG" | "AZN" | "BAM" | "BBD" | "BDT" | "BHD" | "BIF" | "BMD" | "BND" | "BOB" | "BOV" | "BRL" | "BSD" | "BTN" | "BWP" | "BYN" | "BZD" | "CAD" | "CDF" | "CHE" | "CHF" | "CHW" | "CLF" | "CLP" | "CNY" | "COP" | "COU" | "CRC" | "CUP" | "CVE" | "CZK" | "DJF" | "DKK" | "DOP" | "DZD" | "EGP" | "ERN" | "ETB" | "EUR" | "FJD" | "FKP" | "GBP" | "GEL" | "GHS" | "GIP" | "GMD" | "GNF" | "GTQ" | "GYD" | "HKD" | "HNL" | "HTG" | "HUF" | "IDR" | "ILS" | "INR" | "IQD" | "IRR" | "ISK" | "JMD" | "JOD" | "JPY" | "KES" | "KGS" | "KHR" | "KMF" | "KPW" | "KRW" | "KWD" | "KYD" | "KZT" | "LAK" | "LBP" | "LKR" | "LRD" | "LSL" | "LYD" | "MAD" | "MDL" | "MGA" | "MKD" | "MMK" | "MNT" | "MOP" | "MRU" | "MUR" | "MVR" | "MWK" | "MXN" | "MXV" | "MYR" | "MZN" | "NAD" | "NGN" | "NIO" | "NOK" | "NPR" | "NZD" | "OMR" | "PAB" | "PEN" | "PGK" | "PHP" | "PKR" | "PLN" | "PYG" | "QAR" | "RON" | "RSD" | "RUB" | "RWF" | "SAR" | "SBD" | "SCR" | "SDG" | "SEK" | "SGD" | "SHP" | "SLE" | "SOS" | "SRD" | "SSP" | "STN" | "SVC" | "SYP" | "SZL" | "THB" | "TJS" | "TMT" | "TND" | "TOP" | "TRY" | "TTD" | "TWD" | "TZS" | "UAH" | "UGX" | "USD" | "USN" | "UYI" | "UYU" | "UYW" | "UZS" | "VED" | "VES" | "VND" | "VUV" | "WST" | "XAF" | "XCD" | "XCG" | "XOF" | "XPF" | "YER" | "ZAR" | "ZMW" | "ZWG" };

export type PriceChange = { item: string; before: Money; now: Money };

export type PricedLine = { productID?: string; variantID?: string; listingID?: string; license?: "lease" | "unlimited" | "exclusive" | "free"; title: string; sku?: string; image?: string; quantity: number; unitPrice: Money; taxRate: number; net: Money; tax: Money; gross: Money };

export type PricingRules = { tax: TaxRule[]; shipping: ShippingRule[]; version: number };

export type Problem = { type: string; title: string; status: number; detail?: string; code: string; errors?: ProblemDetail[]; trace?: string; secondFactor?: FactorTicket };

export type ProblemDetail = { location: string; message: string };

export type Product = { id: string; type: string; title: string; description?: string; price: Price; sku?: string; taxClass: string; isShipped: boolean; weightGrams: number; images: string[]; video?: string; variants: ProductVariant[]; availability: "inStock" | "lowStock" | "outOfStock"; available: number; createdAt: string; version: number };

export type ProductReference = { productID: string; variantID?: string };

export type ProductType = { slug: string; name: string };

export type ProductVariant = { id: string; name: string; sku?: string; price: Price; weightGrams: number; availability: "inStock" | "lowStock" | "outOfStock"; available: number; isShipped: boolean };

export type Profile = { id: string; username?: string; displayName: string; email?: string; details: ProfileDetails; createdAt: string };

export type ProfileDetails = { firstName?: string; lastName?: string; bio?: string; photo?: string; school?: string; phone?: string; birthday?: string; gender?: "female" | "male" | "nonBinary" | "undisclosed"; userGroup?: string; weightGrams?: number; heightMillimetres?: number; fitnessLevel?: "beginner" | "intermediate" | "advanced" | "athlete" };

export type ProfilePatch = { firstName?: string | null; lastName?: string | null; bio?: string | null; photo?: string | null; school?: string | null; phone?: string | null; birthday?: string | null; gender?: "female" | "male" | "nonBinary" | "undisclosed"; userGroup?: string | null; weightGrams?: number | null; heightMillimetres?: number | null; fitnessLevel?: "beginner" | "intermediate" | "advanced" | "athlete" };

export type ProfileVisibility = { email?: "everyone" | "connections" | "onlyMe"; firstName?: "everyone" | "connections" | "onlyMe"; lastName?: "everyone" | "connections" | "onlyMe"; bio?: "everyone" | "connections" | "onlyMe"; photo?: "everyone" | "connections" | "onlyMe"; school?: "everyone" | "connections" | "onlyMe"; phone?: "everyone" | "connections" | "onlyMe"; birthday?: "everyone" | "connections" | "onlyMe"; gender?: "everyone" | "connections" | "onlyMe"; userGroup?: "everyone" | "connections" | "onlyMe"; weight?: "everyone" | "connections" | "onlyMe"; height?: "everyone" | "connections" | "onlyMe"; fitnessLevel?: "everyone" | "connections" | "onlyMe" };

export type ProvedSession = { accessToken: string; expiresIn: number; provedAt: string };

export type PublicName = { id: string; username?: string; displayName: string; photo?: string; isInstructor?: boolean };

export type QuietHours = { from: string; until: string; timeZone: string };

export type Quiz = { id: string; ownerID: string; title?: string; sets: string[]; questionCount: number; timeLimitSeconds?: number; kinds: ("written" | "choice" | "trueFalse")[]; direction: "frontToBack" | "backToFront"; seed?: number; isShared: boolean; createdAt: string; version: number };

export type QuizAttempt = { summary: AttemptSummary; questions: AttemptQuestion[] };

export type Quote = { lines: PricedLine[]; subtotal: Money; tax: Money; shipping: Money; total: Money; changes: PriceChange[] };

export type RatingIntervals = { again: number; hard: number; good: number; easy: number };

export type RawBody = { bytes: number[] };

export type Receipt = { orderID: string; buyer?: string; placedAt: string; lines: OrderLine[]; subtotal: Money; tax: Money; shipping: Money; total: Money; refunded: Money; paidWith: string };

export type RecoveryCodes = { codes: string[] };

export type Refund = { id: string; orderID: string; amount: Money; toCredit: boolean; status: "pending" | "succeeded" | "failed" | "replaced" | "reversed"; reason?: string; failure?: string; isByProvider: boolean; lines: RefundLine[]; shipping?: Money; owed?: Money; createdAt: string };

export type RefundLine = { position: number; quantity: number; amount: Money };

export type RefundedLine = { position: number; quantity?: number; amount?: Price };

export type RefusedTopic = { topic: string; reason: "notAllowed" | "unavailable" };

export type RelatedUser = { userID: string; user?: PublicName; since: string };

export type RelatedUsers = { items: RelatedUser[]; count: number; nextCursor?: string };

export type Relationship = { userID: string; isFollowing: boolean; isFollowedBy: boolean; followers: number; following: number; connection: "none" | "requested" | "incoming" | "connected"; connectionID?: string; mutualConnections: number; isBlocked: boolean; isMatched: boolean };

export type Reminder = { id: string; title: string; text?: string; localTime: string; timeZone: string; repetition?: ReminderRepetition; dueAt: string; firedAt?: string };

export type ReminderRepetition = { every: "daily" | "weekly"; weekdays?: ("monday" | "tuesday" | "wednesday" | "thursday" | "friday" | "saturday" | "sunday")[] };

export type RetriedWork = { count: number };

export type ReviewedCards = { ids: string[]; schedules: CardSchedule[] };

export type RevokedSession = { id: string; revokedAt: string };

export type RevokedSessions = { items: RevokedSession[]; next: string; cursor?: string };

export type RoommateAbout = { school?: string; bio: string };

export type RoommateCard = { userID: string; user?: PublicName; age: number; gender: "female" | "male" | "nonBinary" | "undisclosed"; school?: string; bio: string; photo: string; place?: RoommatePlaceCity; distance?: "under2Kilometers" | "under5Kilometers" | "under10Kilometers" | "under25Kilometers" | "under50Kilometers" | "under100Kilometers" | "farther"; score?: number; reasons: RoommateReason[]; preferences: RoommatePreferences };

export type RoommateContact = { phone: string };

export type RoommateDeck = { items: RoommateCard[]; isStale: boolean };

export type RoommateIdentity = { fullName: string; birthday: string; gender: "female" | "male" | "nonBinary" | "undisclosed" };

export type RoommateLike = { card: RoommateCard; likedAt: string };

export type RoommateMatch = { userID: string; user?: PublicName; matchedAt: string; profile?: MatchedProfile };

export type RoommatePageOfRoommateLike = { items: RoommateLike[]; nextCursor?: string; isStale: boolean };

export type RoommatePageOfRoommateMatch = { items: RoommateMatch[]; nextCursor?: string; isStale: boolean };

export type RoommatePhotos = { card: string; others: string[] };

export type RoommatePlace = { city?: RoommatePlaceCity; position?: GeographicPosition };

export type RoommatePlaceCity = { name: string; country: string };

export type RoommatePreferences = { place?: RoommatePlace; distance?: DistancePreference; budget?: BudgetPreference; moveIn?: MoveInPreference; stay?: StayPreference; age?: AgePreference; gender?: GenderPreference; smoking?: ChoicePreferenceOfSmokingHabit; pets?: SetPreferenceOfPet; cleanliness?: ChoicePreferenceOfLivingLevel; noise?: ChoicePreferenceOfLivingLevel; sleep?: ChoicePreferenceOfSleepRhythm; guests?: ChoicePreferenceOfLivingFrequency; cooking?: ChoicePreferenceOfLivingFrequency; workFromHome?: ChoicePreferenceOfLivingFrequency; languages?: SetPreferenceOfLanguageCode; school?: SchoolPreference };

export type RoommateProfile = { contact?: RoommateContact; identity?: RoommateIdentity; about?: RoommateAbout; preferences?: RoommatePreferences; photos?: RoommatePhotos; isComplete: boolean; missingStages: ("contact" | "identity" | "about" | "preferences" | "photos")[]; version: number; updatedAt: string };

export type RoommateReason = { code: "nonSmokers" | "budgetsOverlap" | "moveInOverlaps" | "stayOverlaps" | "similarCleanliness" | "similarNoise" | "sameSleep" | "samePets" | "sameGuests" | "sameCooking" | "sameWorkFromHome" | "sharedLanguages" | "sameSchool" | "nearby"; text: string };

export type RoommateSuggestion = { day: string; card?: RoommateCard; isStale: boolean };

export type RoommateSwipe = { userID: string; decision: "like" | "dislike"; isMatch: boolean; match?: RoommateMatch };

export type SaleItems = { products: SaleItemsProduct[]; listings: SaleItemsListing[] };

export type SaleItemsListing = { id: string; ownerID: string; title: string; licenses: LicenseOption[]; acceptsOffers: boolean; audio: string; cover?: string };

export type SaleItemsProduct = { product: ProductReference; title: string; sku?: string; price: Price; taxClass: string; isShipped: boolean; weightGrams: number; available: number; image?: string };

export type SalesMonth = { month: string; count: number; price: Money; fee: Money; earned: Money; refunded: Money };

export type Scan = { media: string; state: "queued" | "scanning" | "ready" | "failed"; failure?: "invalidContent" | "tooLarge" | "toolMissing" | "internalError"; pages?: number; finishedPages: number };

export type ScannedPage = { page: number; text: string; confidence?: number; failure?: "invalidContent" | "tooLarge" | "toolMissing" | "internalError" };

export type SchedulerFit = { at: string; result: "improved" | "unchanged" | "notEnoughReviews"; reviews: number; heldOutReviews: number; defaultLogLoss?: number; fittedLogLoss?: number };

export type SchedulerWeights = { algorithm: string; version: number; w: number[] };

export type School = { id: string; name: string; country: string; isActive: boolean; createdAt: string; version: number };

export type SchoolImportReport = { report: ImportReport; passwords: TemporaryPassword[] };

export type SchoolMember = { userID: string; role: "student" | "instructor" | "staff"; number?: string; username?: string; displayName: string; hasTemporaryPassword: boolean; joinedAt: string };

export type SchoolMembership = { school: School; role: "student" | "instructor" | "staff" };

export type SchoolPreference = { weight?: "must" | "prefer" | "indifferent" };

export type SecondFactors = { totpSince?: string; passkeys: Passkey[]; recoveryCodesLeft: number; provedAt: string };

export type ServiceDeadLetters = { service: string; counts: DeadLetterCount[]; newest: DeadLetter[] };

export type ServiceJobs = { service: string; queues: JobQueue[]; dropped: DroppedJob[] };

export type ServiceMetrics = { service: string; samples: MetricsSample[] };

export type SessionInfo = { id: string; app: "archived" | "keepfit" | "yesenia" | "roomi" | "letustudy" | "account" | "web"; device?: string; deviceName?: string; deviceModel?: string; appVersion?: string; address?: string; createdAt: string; lastUsedAt: string; isCurrent: boolean };

export type SessionUse = { session: string; usedAt: string };

export type SetLink = { id: string; role: "viewer" | "editor"; createdAt: string; expiresAt: string; uses: number; token?: string };

export type SetMember = { userID: string; user?: PublicName; role: "viewer" | "editor" | "owner" };

export type SetOrigin = { set: string; title: string; owner?: string };

export type SetPreferenceOfLanguageCode = { own?: string[]; accepts?: string[]; weight?: "must" | "prefer" | "indifferent" };

export type SetPreferenceOfPet = { own?: ("none" | "cat" | "dog" | "smallAnimal" | "other")[]; accepts?: ("none" | "cat" | "dog" | "smallAnimal" | "other")[]; weight?: "must" | "prefer" | "indifferent" };

export type SetShare = { member?: SetMember; link?: SetLink };

export type SetShares = { members: SetMember[]; links: SetLink[]; courses: string[]; offeredTo?: string };

export type SetTexts = { title?: string; description?: string };

export type SharedExercise = { id: string; userID: string; exercise: string; name: string; muscle: "abs" | "back" | "biceps" | "calves" | "chest" | "forearms" | "fullBody" | "glutes" | "hamstrings" | "hips" | "lowerBack" | "neck" | "obliques" | "quads" | "shoulders" | "triceps"; equipment: "none" | "band" | "barbell" | "bench" | "cable" | "dumbbell" | "kettlebell" | "machine" | "mat" | "medicineBall" | "pullUpBar" | "stabilityBall"; level: "beginner" | "intermediate" | "advanced"; sharedAt: string; reactions: FollowerReaction[] };

export type SharedWorkout = { id: string; userID: string; type: string; intensity: "light" | "moderate" | "vigorous"; startedAt: string; activeSeconds: number; kilocalories?: number; sharing: WorkoutSharing };

export type ShippingRule = { region?: string; base: Price; perKilogram?: Price; freeFrom?: Price };

export type SignInProvider = { name: string; app: "archived" | "keepfit" | "yesenia" | "roomi" | "letustudy" | "account" | "web"; clientID: string; authorizationURL: string };

export type SignalsSendBody = { topic: string; name: string; data: unknown; sender: string };

export type Site = { title?: string; home?: string; email?: string; socialLinks: SiteSocialLink[]; tutorials: SiteTutorial[]; version?: number };

export type SiteSocialLink = { name: string; link: string };

export type SiteTutorial = { title: string; link: string; productType?: string };

export type SkippedPart = { line?: number; lastLine?: number; card?: number; note?: number; entry?: string; reason: string };

export type SoldLine = { orderID: string; position: number; listingID?: string; license?: "lease" | "unlimited" | "exclusive" | "free"; title: string; buyerID?: string; price: Money; fee: Money; earned: Money; refunded: Money; soldAt: string };

export type StayPreference = { from: number; to: number; weight?: "must" | "prefer" | "indifferent" };

export type StockLevel = { productID: string; variantID?: string; onHand: number; reserved: number; version: number };

export type StockLine = { product: ProductReference; quantity: number };

export type StockReservation = { id: string; status: "held" | "committed" | "released"; expiresAt: string };

export type StoreKitResult = { order?: Order; subscription?: Subscription; credited?: Money };

export type StudyAcceptCourseInvitationBody = { token: string };

export type StudyAcceptShareBody = { token: string };

export type StudyAddReviewsBody = { reviews: NewReview[] };

export type StudyAddStudySessionsBody = { sessions: NewStudySession[] };

export type StudyAnswerQuestionsBody = { answers: NumberedAnswer[] };

export type StudyCalendarPage = { from: string; to: string; today: string; days: StudyDayTotals[]; streak: StudyStreak };

export type StudyCard = { id: string; set: string; front: string; back: string; tags: string[]; attachments: CardAttachment[]; mediaNames?: CardMediaName[]; position: string; variants?: SyncVariant[]; createdAt: string; changedAt: string; deletedAt?: string; version: number };

export type StudyChangeShareBody = { role: "viewer" | "editor" | "owner" };

export type StudyCreateAssignmentBody = { title: string; instructions?: string; media?: string[]; points: number; dueAt?: string; lateUntil?: string; resubmission?: "never" | "untilGraded" | "afterReturn"; test?: CourseTest; state?: "draft" | "published" };

export type StudyCreateCardBody = { front: string; back: string; tags?: string[]; attachments?: CardAttachment[]; position?: string };

export type StudyCreateCourseBody = { title: string; description?: string; term?: string; color?: string };

export type StudyCreateMaterialBody = { title: string; text?: string; url?: string; media?: string; set?: string };

export type StudyCreateQuizBody = { title?: string; sets: string[]; questionCount?: number; timeLimitSeconds?: number; kinds?: ("written" | "choice" | "trueFalse")[]; direction?: "frontToBack" | "backToFront"; seed?: number; isShared?: boolean };

export type StudyCreateSetBody = { title: string; description?: string; tags?: string[] };

export type StudyDayTotals = { date: string; milliseconds: number; reviews: AnswerScore; quizzes: AnswerScore; newCards: number };

export type StudyDraftCardsBody = { media?: string; firstPage?: number; text?: string; rule?: "parity" | "terms" | "headings" };

export type StudyFinishWorkoutBody = { finishedAt?: string; weight?: number; note?: string };

export type StudyGradeSubmissionBody = { points?: number; feedback?: string; isReturned: boolean };

export type StudyHome = { today: StudyDayTotals; streak: StudyStreak; due: DueCountsCounts; sets: StudyHomeRecentSet[] };

export type StudyHomeRecentSet = { set: string; title: string; lastStudiedAt: string; milliseconds: number; reviews: number; due: DueCountsCounts };

export type StudyImport = { set?: string; format: "txt" | "csv" | "json" | "apkg"; imported: number; duplicates: number; reviews: number; mediaNotImported: number; skippedCount: number; skipped: SkippedPart[] };

export type StudyInviteToCourseBody = { email: string; role?: "student" | "instructor" };

export type StudyJoinCourseBody = { code: string };

export type StudyMoveCardBody = { before?: string; after?: string };

export type StudyOrderMaterialsBody = { materials: string[] };

export type StudyReplyToDiscussionBody = { text: string };

export type StudyReportLibrarySetBody = { reason: "spam" | "copyright" | "hate" | "sexual" | "wrong" | "other" };

export type StudyResolveVariantsBody = { chosen?: string; dismissed?: string[] };

export type StudyScheduler = { desiredRetention: number; learningSteps: number[]; relearningSteps: number[]; maximumInterval: number; fuzz: boolean; newCardsPerDay: number; rolloverHour: number; fitsWeights: boolean; weights: SchedulerWeights; lastFit?: SchedulerFit };

export type StudySet = { id: string; title: string; description?: string; tags: string[]; role: "viewer" | "editor" | "owner"; ownerID?: string; owner?: PublicName; cardCount: number; isPublished: boolean; origin?: SetOrigin; variants?: SyncVariant[]; createdAt: string; changedAt: string; lastOpenedAt?: string; deletedAt?: string; version: number };

export type StudyShareSetBody = { role: "viewer" | "editor"; userID?: string; username?: string; days?: number };

export type StudyShareWorkoutBody = { includesKilocalories?: boolean };

export type StudyStartAttemptBody = { utcOffsetMinutes?: number };

export type StudyStartDiscussionBody = { title: string; text: string };

export type StudyStartWorkoutBody = { type: string; intensity?: "light" | "moderate" | "vigorous"; startedAt?: string; finishedAt?: string; pauses?: WorkoutInterruption[]; weight?: number; note?: string };

export type StudyStatistics = { from: string; to: string; milliseconds: number; functions: StudyStatisticsOfFunction[]; days: StudyDayTotals[]; young: AnswerScore; mature: AnswerScore; forecast: number[]; mastery: CardMastery; sets: StudyStatisticsOfSet[] };

export type StudyStatisticsOfFunction = { function: "cards" | "review" | "quiz" | "course"; milliseconds: number; count: number; score: AnswerScore };

export type StudyStatisticsOfSet = { set: string; milliseconds: number; reviews: number; lastStudiedAt?: string; quizzes: AnswerScore; mastery: CardMastery };

export type StudyStreak = { current: number; longest: number; includesToday: boolean };

export type StudySubmitBody = { text?: string; media?: string[] };

export type StudySyncBody = { device: string; deviceTime: string; cursor?: string; operations?: LenientOfSyncOperation[]; limit?: number; refetch?: ("sets" | "cards" | "studySettings" | "workouts" | "reviews" | "studySessions" | "quizResults")[] };

export type StudyUpdateAssignmentBody = { title?: string; instructions?: string | null; media?: string[]; points?: number; dueAt?: string | null; lateUntil?: string | null; resubmission?: "never" | "untilGraded" | "afterReturn"; test?: CourseTest; state?: "draft" | "published" };

export type StudyUpdateCardBody = { front?: string; back?: string; tags?: string[]; attachments?: CardAttachment[]; base?: CardTexts };

export type StudyUpdateCourseBody = { title?: string; description?: string | null; term?: string | null; color?: string | null; state?: "active" | "archived" };

export type StudyUpdateDiscussionBody = { title?: string; text?: string; isLocked?: boolean };

export type StudyUpdateDiscussionReplyBody = { text: string };

export type StudyUpdateMaterialBody = { title?: string; text?: string | null; url?: string };

export type StudyUpdateQuizBody = { title?: string | null; sets?: string[]; questionCount?: number; timeLimitSeconds?: number | null; kinds?: ("written" | "choice" | "trueFalse")[]; direction?: "frontToBack" | "backToFront"; seed?: number | null; isShared?: boolean };

export type StudyUpdateSchedulerBody = { desiredRetention?: number; learningSteps?: number[]; relearningSteps?: number[]; maximumInterval?: number; fuzz?: boolean; newCardsPerDay?: number; rolloverHour?: number; fitsWeights?: boolean; weights?: SchedulerWeights };

export type StudyUpdateSetBody = { title?: string; description?: string | null; tags?: string[]; base?: SetTexts };

export type StudyUpdateWorkoutBody = { type?: string; intensity?: "light" | "moderate" | "vigorous"; startedAt?: string; finishedAt?: string; pauses?: WorkoutInterruption[]; weight?: number | null; note?: string | null };

export type Submission = { id: string; assignment: string; student: string; name?: PublicName; state: "submitted" | "graded" | "returned"; text?: string; media: string[]; count: number; submittedAt?: string; isLate: boolean; points?: number; feedback?: string; gradedAt?: string; version: number };

export type SubmissionDetails = { submission: Submission; versions: SubmissionDetailsVersion[]; grades?: SubmissionDetailsGrade[] };

export type SubmissionDetailsGrade = { points?: number; gradedBy?: string; gradedAt: string };

export type SubmissionDetailsVersion = { number: number; text?: string; media: string[]; submittedAt: string; isLate: boolean };

export type Subscription = { id: string; plan: string; provider: "test" | "stripe" | "storekit"; status: "pending" | "incomplete" | "active" | "pastDue" | "ended" | "failed"; isActive: boolean; until: string; renews: boolean; graceUntil?: string; quantity: number; nextPlan?: string; nextQuantity?: number; seats?: SubscriptionSeats; clientSecret?: string; failure?: string };

export type SubscriptionSeats = { total: number; used: number };

export type SyncConflictRecord = { record: SyncRecord; changedAt: string; restorableUntil?: string };

export type SyncRecord = { collection: string; id: string; set?: string; version?: string; fields?: Record<string, never>; versions?: Record<string, never>; variants?: SyncVariant[]; isDeleted?: boolean; lifecycle?: string; revision?: string; hasLostEdits?: boolean };

export type SyncResponse = { results: SyncResult[]; changes: SyncRecord[]; removedSets: string[]; cursor: string; hasMore: boolean; checksums?: LenientOfSyncChecksum[]; serverTime: string; clockSkewMilliseconds?: number };

export type SyncResult = { operation: string; status: "applied" | "merged" | "duplicate" | "rejected"; code?: string; field?: string; message?: string; conflict?: "text" | "deleted" | "deletedUnseenEdits" | "setDeleted"; version?: string; record?: SyncRecord };

export type SyncVariant = { field: string; text: string; version: string };

export type TOTPEnrolment = { secret: string; uri: string; expiresIn: number };

export type TaxRule = { region?: string; taxClass?: string; rate: number; isIncluded: boolean };

export type TemporaryPassword = { userID: string; number: string; username: string; password: string; expiresAt: string };

export type Tool = { id: string; name: string; description?: string; link?: string; image?: string; productType?: string; createdAt: string; version: number };

export type UndoneSwipe = { userID: string };

export type UnmatchedPurchase = { transactionID: string; product: string; amount?: Money; userID?: string; reason: "orderMissing" | "orderUnknown" | "otherToken" | "price" | "product" | "physicalGoods" | "familyShared"; isRevoked: boolean; purchasedAt: string; receivedAt: string };

export type UserConnection = { id: string; status: "accepted" | "incoming" | "outgoing"; userID: string; user?: PublicName; since: string; note?: string };

export type UserRelation = { userID: string; isFollowing: boolean; isFollowedBy: boolean; isBlocked: boolean; isConnected?: boolean };

export type UserSettings = { notifications: boolean; darkMode: boolean; sound: boolean; accessibility: boolean; reverseColor: boolean; voiceOver: boolean; brightness: number; role: "student" | "instructor" | "guest" | "support" | "administrator"; logOutAfterMinutes?: number; mutedNotifications?: ("reminders" | "dueCards" | "courses" | "auctionEnding" | "auctions" | "liveWorkouts" | "messages" | "connections" | "payments" | "sharing" | "security" | "other")[]; quietHours?: QuietHours };

export type VariantForm = { name: string; sku?: string; price?: Price; weightGrams?: number; onHand?: number; isShipped?: boolean };

export type VerifiedAddress = { userID: string; email: string };

export type VersionedSettings = { notifications: boolean; darkMode: boolean; sound: boolean; accessibility: boolean; reverseColor: boolean; voiceOver: boolean; brightness: number; role: "student" | "instructor" | "guest" | "support" | "administrator"; logOutAfterMinutes?: number; mutedNotifications?: ("reminders" | "dueCards" | "courses" | "auctionEnding" | "auctions" | "liveWorkouts" | "messages" | "connections" | "payments" | "sharing" | "security" | "other")[]; quietHours?: QuietHours; version: number };

export type VideoLink = { provider: "youtube"; url: string; embedURL: string };

export type WebhookReceipt = { received: boolean };

export type Workout = { id: string; type: string; intensity: "light" | "moderate" | "vigorous"; status: "running" | "paused" | "finished"; startedAt: string; finishedAt?: string; pauses: WorkoutInterruption[]; activeSeconds: number; weight?: number; note?: string; energy?: WorkoutEnergy; sharing?: WorkoutSharing };

export type WorkoutEnergy = { kilocalories: number; met: number; compendiumCode?: string; tableVersion?: string; formulaVersion: number };

export type WorkoutInterruption = { from: string; to?: string };

export type WorkoutSharing = { sharedAt: string; includesKilocalories: boolean; reactions: FollowerReaction[] };

export type WorkoutTable = { items: ListedWorkoutType[]; tableVersion: string; formulaVersion: number };

export type WorkoutTotals = { all: WorkoutTotalsSum; days: WorkoutTotalsDay[]; types: WorkoutTotalsTypeSum[] };

export type WorkoutTotalsDay = { day: string; sum: WorkoutTotalsSum };

export type WorkoutTotalsSum = { count: number; activeSeconds: number; kilocalories: number };

export type WorkoutTotalsTypeSum = { type: string; sum: WorkoutTotalsSum };

export type ZoomWebhookReceipt = { plainToken?: string; encryptedToken?: string };

export interface Operations {
  /** Create an account and sign in */
  "POST /v1/auth/signup": { args: { body: AuthSignUpBody }; response: Authentication };
  /** Sign in with an e-mail address or a username */
  "POST /v1/auth/login": { args: { body: AuthLogInBody }; response: Authentication };
  /** Create a guest account and sign in */
  "POST /v1/auth/guest": { args: { body: AuthSignInAsGuestBody }; response: Authentication };
  /** Upgrade a guest account to a full account */
  "POST /v1/auth/upgrade": { args: { body: AuthUpgradeBody }; response: Authentication };
  /** Sign in with an ID token of an OpenID Connect provider */
  "POST /v1/auth/oidc/{provider}": { args: { provider: string; body: AuthSignInWithProviderBody }; response: Authentication };
  /** List the sign-in providers for browsers */
  "GET /v1/auth/providers": { args: Record<never, never>; response: PageOfSignInProvider };
  /** Issue a token to a registered client (client credentials) */
  "POST /v1/auth/token": { args: { body: AuthIssueTokenBody }; response: ClientToken };
  /** Complete a sign-in with a second factor */
  "POST /v1/auth/login/factor": { args: { body: AuthCompleteLogInBody }; response: Authentication };
  /** Re-authenticate the caller */
  "POST /v1/auth/proof": { args: { body: AuthProveBody }; response: ProvedSession };
  /** Get the caller's second factors */
  "GET /v1/auth/factors": { args: Record<never, never>; response: SecondFactors };
  /** Set up an authenticator app */
  "POST /v1/auth/factors/totp": { args: Record<never, never>; response: TOTPEnrolment };
  /** Remove the authenticator app */
  "DELETE /v1/auth/factors/totp": { args: Record<never, never>; response: void };
  /** Confirm an authenticator app with its first code */
  "POST /v1/auth/factors/totp/confirm": { args: { body: AuthConfirmTOTPBody }; response: EnrolledFactor };
  /** Replace the recovery codes */
  "POST /v1/auth/factors/recovery-codes": { args: Record<never, never>; response: RecoveryCodes };
  /** Start adding a passkey */
  "POST /v1/auth/passkeys/options": { args: Record<never, never>; response: PasskeyCreationOptions };
  /** Add a passkey */
  "POST /v1/auth/passkeys": { args: { body: AuthAddPasskeyBody }; response: EnrolledFactor };
  /** List the caller's passkeys */
  "GET /v1/auth/passkeys": { args: Record<never, never>; response: PageOfPasskey };
  /** Rename one of the caller's passkeys */
  "PATCH /v1/auth/passkeys/{id}": { args: { id: string; body: AuthRenamePasskeyBody }; response: Passkey };
  /** Delete one of the caller's passkeys */
  "DELETE /v1/auth/passkeys/{id}": { args: { id: string }; response: void };
  /** Start a sign-in with a passkey */
  "POST /v1/auth/login/passkey/options": { args: { body: AuthLogInPasskeyOptionsBody }; response: PasskeyRequestOptions };
  /** Sign in with a passkey */
  "POST /v1/auth/login/passkey": { args: { body: AuthLogInWithPasskeyBody }; response: Authentication };
  /** Start a re-authentication with a passkey */
  "POST /v1/auth/proof/passkey": { args: Record<never, never>; response: PasskeyRequestOptions };
  /** List the caller's identities at sign-in providers */
  "GET /v1/auth/identities": { args: Record<never, never>; response: PageOfLinkedIdentity };
  /** Delete one of the caller's identities at sign-in providers */
  "DELETE /v1/auth/identities/{id}": { args: { id: string }; response: void };
  /** Exchange a refresh token for a new pair of tokens */
  "POST /v1/auth/refresh": { args: { body: AuthRefreshBody }; response: Authentication };
  /** End the current session, the caller's other sessions, or all */
  "POST /v1/auth/logout": { args: { scope?: "local" | "others" | "global" }; response: void };
  /** List the caller's sessions */
  "GET /v1/auth/sessions": { args: Record<never, never>; response: PageOfSessionInfo };
  /** End one of the caller's sessions */
  "DELETE /v1/auth/sessions/{id}": { args: { id: string }; response: void };
  /** Deny an unusual sign-in and end all sessions */
  "POST /v1/auth/sign-ins/deny": { args: { body: AuthDenySignInBody }; response: void };
  /** Request a password reset e-mail */
  "POST /v1/auth/password/forgot": { args: { body: AuthForgotPasswordBody }; response: void };
  /** Reset the password with an e-mailed token */
  "POST /v1/auth/password/reset": { args: { body: AuthResetPasswordBody }; response: void };
  /** Change the password */
  "POST /v1/auth/password/change": { args: { body: AuthChangePasswordBody }; response: void };
  /** Verify an e-mail address with an e-mailed token */
  "POST /v1/auth/email/verify": { args: { body: AuthVerifyEmailBody }; response: void };
  /** Resend the verification e-mail */
  "POST /v1/auth/email/resend": { args: Record<never, never>; response: void };
  /** Request a change of the e-mail address */
  "POST /v1/auth/email/change": { args: { body: AuthChangeEmailBody }; response: void };
  /** Get the caller's account */
  "GET /v1/users/me": { args: Record<never, never>; response: Account };
  /** Update the caller's account (JSON merge patch) */
  "PATCH /v1/users/me": { args: { body: AuthUpdateMeBody }; response: Account; hasVersion: true };
  /** Delete the caller's account */
  "DELETE /v1/users/me": { args: Record<never, never>; response: void };
  /** Get a user's profile */
  "GET /v1/users/{id}": { args: { id: string }; response: Profile };
  /** Search users by username and display name */
  "GET /v1/users": { args: { query?: string; limit?: number; cursor?: string }; response: PageOfProfile };
  /** Get the caller's record in LetuStudy's cloud format */
  "GET /v1/users/me/cloud-record": { args: Record<never, never>; response: CloudRecord };
  /** Get the caller's record in LetuStudy's device format */
  "GET /v1/users/me/device-record": { args: Record<never, never>; response: DeviceRecord };
  /** List the fitness levels with their labels */
  "GET /v1/fitness-levels": { args: Record<never, never>; response: PageOfFitnessLevelChoice };
  /** Get the caller's settings */
  "GET /v1/users/me/settings": { args: Record<never, never>; response: VersionedSettings };
  /** Replace the caller's settings */
  "PUT /v1/users/me/settings": { args: { body: UserSettings }; response: VersionedSettings; hasVersion: true };
  /** Get the caller's consents */
  "GET /v1/users/me/consents": { args: Record<never, never>; response: Consents };
  /** Record consent decisions */
  "PUT /v1/users/me/consents": { args: { body: AuthPutConsentsBody }; response: Consents };
  /** Export the caller's personal data */
  "GET /v1/users/me/export": { args: Record<never, never>; response: unknown };
  /** Register the session's device for push notifications */
  "PUT /v1/users/me/devices/{id}": { args: { id: string; body: AuthPutDeviceBody }; response: void };
  /** Unregister a device from push notifications */
  "DELETE /v1/users/me/devices/{id}": { args: { id: string }; response: void };
  /** List the caller's reminders */
  "GET /v1/users/me/reminders": { args: { limit?: number; cursor?: string }; response: PageOfReminder };
  /** Create a reminder */
  "POST /v1/users/me/reminders": { args: { body: AuthCreateReminderBody }; response: Reminder; isKeyed: true };
  /** Delete a reminder */
  "DELETE /v1/users/me/reminders/{id}": { args: { id: string }; response: void };
  /** Search accounts */
  "GET /v1/admin/users": { args: { query?: string; email?: string; limit?: number; cursor?: string }; response: PageOfAdministeredAccount };
  /** Update an account's roles, disabled status or profile */
  "PATCH /v1/admin/users/{id}": { args: { id: string; body: AuthAdminUpdateUserBody }; response: AdministeredAccount };
  /** Delete an account */
  "DELETE /v1/admin/users/{id}": { args: { id: string; reason: string }; response: void };
  /** List the sessions of an account */
  "GET /v1/admin/users/{id}/sessions": { args: { id: string }; response: PageOfAdministeredSession };
  /** End all sessions of an account */
  "DELETE /v1/admin/users/{id}/sessions": { args: { id: string }; response: void };
  /** End a session of an account */
  "DELETE /v1/admin/users/{id}/sessions/{session}": { args: { id: string; session: string }; response: void };
  /** Search the audit trails of all services */
  "GET /v1/admin/audit": { args: { service?: string; actor?: string; object?: string; action?: string; app?: "archived" | "keepfit" | "yesenia" | "roomi" | "letustudy" | "account" | "web"; from?: string; until?: string; limit?: number; cursor?: string }; response: AuditPage };
  /** Export the audit trails of all services */
  "GET /v1/admin/audit.csv": { args: { service?: string; actor?: string; object?: string; action?: string; app?: "archived" | "keepfit" | "yesenia" | "roomi" | "letustudy" | "account" | "web"; from?: string; until?: string }; response: Blob };
  /** List the dead letters of all services */
  "GET /v1/admin/dead-letters": { args: Record<never, never>; response: PlatformDeadLetters };
  /** Retry dead letters */
  "POST /v1/admin/dead-letters/retry": { args: { body: AuthAdminRetryDeadLettersBody }; response: RetriedWork };
  /** List the background jobs of all services */
  "GET /v1/admin/jobs": { args: Record<never, never>; response: PlatformJobs };
  /** Retry dropped jobs */
  "POST /v1/admin/jobs/retry": { args: { body: AuthAdminRetryJobsBody }; response: RetriedWork };
  /** List the feature switches */
  "GET /v1/features": { args: Record<never, never>; response: PageOfFeatureState };
  /** Switch a feature on or off for everyone */
  "PUT /v1/admin/features/{name}": { args: { name: "sign-up" | "uploads" | "auctions" | "messages"; body: AuthSwitchFeatureBody }; response: FeatureState; hasVersion: true };
  /** Get the state of the caller's guardian consent */
  "GET /v1/users/me/guardian": { args: Record<never, never>; response: GuardianStatus };
  /** Ask a guardian for consent by e-mail */
  "POST /v1/users/me/guardian": { args: { body: AuthAskGuardianBody }; response: GuardianStatus };
  /** Set the caller's country of residence */
  "PUT /v1/users/me/country": { args: { body: AuthPutCountryBody }; response: GuardianStatus };
  /** Get the consent page for guardians */
  "GET /v1/guardian": { args: { token: string }; response: Blob };
  /** Give, refuse or withdraw a guardian's consent */
  "POST /v1/guardian": { args: { body: AuthDecideAsGuardianBody }; response: GuardianStatus };
  /** Submit the consent form for guardians */
  "POST /v1/guardian/pages": { args: { body: AuthSendGuardianFormBody }; response: Blob };
  /** List the consent purposes */
  "GET /v1/consent-purposes": { args: Record<never, never>; response: PageOfConsentPurposeText };
  /** Create a school */
  "POST /v1/admin/schools": { args: { body: AuthCreateSchoolBody }; response: School };
  /** List schools */
  "GET /v1/admin/schools": { args: { limit?: number; cursor?: string }; response: PageOfSchool };
  /** Update a school */
  "PATCH /v1/admin/schools/{id}": { args: { id: string; body: AuthUpdateSchoolBody }; response: School; hasVersion: true };
  /** Add a user to a school's staff */
  "PUT /v1/admin/schools/{id}/staff/{user}": { args: { id: string; user: string }; response: void };
  /** Remove a user from a school's staff */
  "DELETE /v1/admin/schools/{id}/staff/{user}": { args: { id: string; user: string }; response: void };
  /** List the caller's schools */
  "GET /v1/users/me/schools": { args: Record<never, never>; response: PageOfSchoolMembership };
  /** Leave a school */
  "DELETE /v1/users/me/schools/{id}": { args: { id: string }; response: void };
  /** List a school's members */
  "GET /v1/schools/{id}/members": { args: { id: string; limit?: number; cursor?: string }; response: PageOfSchoolMember };
  /** Import a list of a school's members */
  "POST /v1/schools/{id}/members/import": { args: { id: string; newPasswords?: boolean; body: unknown | Blob | string }; response: SchoolImportReport };
  /** Change a member's role */
  "PATCH /v1/schools/{id}/members/{user}": { args: { id: string; user: string; body: AuthUpdateSchoolMemberBody }; response: SchoolMember };
  /** Remove a member from a school */
  "DELETE /v1/schools/{id}/members/{user}": { args: { id: string; user: string }; response: void };
  /** Give a member a temporary password */
  "POST /v1/schools/{id}/members/{user}/password": { args: { id: string; user: string }; response: TemporaryPassword };
  /** Replace a temporary password and sign in */
  "POST /v1/auth/password/first": { args: { body: AuthChooseFirstPasswordBody }; response: Authentication };
  /** List listings */
  "GET /v1/listings": { args: { kind?: "beat" | "open"; tag?: string; query?: string; owner?: string; sort?: "newest" | "price" | "priceDescending" | "popular"; limit?: number; cursor?: string }; response: PageOfListingSummary };
  /** Create a listing */
  "POST /v1/listings": { args: { body: CatalogCreateListingBody }; response: Listing; isKeyed: true };
  /** Get a listing */
  "GET /v1/listings/{id}": { args: { id: string }; response: Listing };
  /** Update a listing (JSON merge patch) */
  "PATCH /v1/listings/{id}": { args: { id: string; body: CatalogUpdateListingBody }; response: Listing; hasVersion: true };
  /** Delete a listing */
  "DELETE /v1/listings/{id}": { args: { id: string }; response: void; hasVersion: true };
  /** Update anyone's listing (JSON merge patch) */
  "PATCH /v1/admin/listings/{id}": { args: { id: string; body: CatalogAdminUpdateListingBody }; response: Listing; hasVersion: true };
  /** Delete anyone's listing */
  "DELETE /v1/admin/listings/{id}": { args: { id: string; reason: string }; response: void; hasVersion: true };
  /** Like a listing */
  "PUT /v1/listings/{id}/like": { args: { id: string }; response: void };
  /** Unlike a listing */
  "DELETE /v1/listings/{id}/like": { args: { id: string }; response: void };
  /** Archive a listing */
  "PUT /v1/listings/{id}/archive": { args: { id: string }; response: void };
  /** Remove a listing from the archive */
  "DELETE /v1/listings/{id}/archive": { args: { id: string }; response: void };
  /** List the caller's archived listings */
  "GET /v1/archive": { args: { limit?: number; cursor?: string }; response: PageOfListingSummary };
  /** Like a post */
  "PUT /v1/posts/{id}/like": { args: { id: string }; response: void };
  /** Unlike a post */
  "DELETE /v1/posts/{id}/like": { args: { id: string }; response: void };
  /** Like a comment */
  "PUT /v1/comments/{id}/like": { args: { id: string }; response: void };
  /** Unlike a comment */
  "DELETE /v1/comments/{id}/like": { args: { id: string }; response: void };
  /** List comments on a listing */
  "GET /v1/listings/{id}/comments": { args: { id: string; limit?: number; cursor?: string }; response: PageOfComment };
  /** Comment on a listing */
  "POST /v1/listings/{id}/comments": { args: { id: string; body: CatalogCommentOnListingBody }; response: Comment; isKeyed: true };
  /** List comments on a post */
  "GET /v1/posts/{id}/comments": { args: { id: string; limit?: number; cursor?: string }; response: PageOfComment };
  /** Comment on a post */
  "POST /v1/posts/{id}/comments": { args: { id: string; body: CatalogCommentOnPostBody }; response: Comment; isKeyed: true };
  /** List replies to a comment */
  "GET /v1/comments/{id}/replies": { args: { id: string; limit?: number; cursor?: string }; response: PageOfComment };
  /** Reply to a comment */
  "POST /v1/comments/{id}/replies": { args: { id: string; body: CatalogReplyToCommentBody }; response: Comment; isKeyed: true };
  /** Update a comment */
  "PATCH /v1/comments/{id}": { args: { id: string; body: CatalogUpdateCommentBody }; response: Comment; hasVersion: true };
  /** Delete a comment */
  "DELETE /v1/comments/{id}": { args: { id: string }; response: void };
  /** List products */
  "GET /v1/products": { args: { type?: string; query?: string; hasVideo?: boolean; limit?: number; cursor?: string }; response: PageOfProduct };
  /** Create a product */
  "POST /v1/products": { args: { body: CatalogCreateProductBody }; response: Product; isKeyed: true };
  /** Get a product */
  "GET /v1/products/{id}": { args: { id: string }; response: Product };
  /** Update a product (JSON merge patch) */
  "PATCH /v1/products/{id}": { args: { id: string; body: CatalogUpdateProductBody }; response: Product; hasVersion: true };
  /** Delete a product */
  "DELETE /v1/products/{id}": { args: { id: string }; response: void; hasVersion: true };
  /** Add a variant to a product */
  "POST /v1/products/{id}/variants": { args: { id: string; body: CatalogAddVariantBody }; response: Product; hasVersion: true; isKeyed: true };
  /** Update a variant of a product (JSON merge patch) */
  "PATCH /v1/products/{id}/variants/{variant}": { args: { id: string; variant: string; body: CatalogUpdateVariantBody }; response: Product; hasVersion: true };
  /** Retire a variant of a product */
  "DELETE /v1/products/{id}/variants/{variant}": { args: { id: string; variant: string }; response: void; hasVersion: true };
  /** List product types */
  "GET /v1/product-types": { args: { limit?: number; cursor?: string }; response: PageOfProductType };
  /** Create a product type */
  "POST /v1/product-types": { args: { body: ProductType }; response: ProductType; isKeyed: true };
  /** Get the stock of a product */
  "GET /v1/products/{id}/stock": { args: { id: string; variantID?: string }; response: StockLevel };
  /** Set the stock of a product */
  "PUT /v1/products/{id}/stock": { args: { id: string; body: CatalogPutStockBody }; response: StockLevel; hasVersion: true };
  /** Import products from a file */
  "POST /v1/products/import": { args: { body: unknown | Blob | string }; response: ImportReport };
  /** List posts */
  "GET /v1/posts": { args: { limit?: number; cursor?: string }; response: PageOfPost };
  /** Create a post */
  "POST /v1/posts": { args: { body: CatalogCreatePostBody }; response: Post; isKeyed: true };
  /** Get a post */
  "GET /v1/posts/{id}": { args: { id: string }; response: Post };
  /** Update a post (JSON merge patch) */
  "PATCH /v1/posts/{id}": { args: { id: string; body: CatalogUpdatePostBody }; response: Post; hasVersion: true };
  /** Delete a post and its comments */
  "DELETE /v1/posts/{id}": { args: { id: string }; response: void; hasVersion: true };
  /** Import posts from a file */
  "POST /v1/posts/import": { args: { body: unknown | Blob | string }; response: ImportReport };
  /** List exercises */
  "GET /v1/exercises": { args: { query?: string; muscle?: "abs" | "back" | "biceps" | "calves" | "chest" | "forearms" | "fullBody" | "glutes" | "hamstrings" | "hips" | "lowerBack" | "neck" | "obliques" | "quads" | "shoulders" | "triceps"; equipment?: "none" | "band" | "barbell" | "bench" | "cable" | "dumbbell" | "kettlebell" | "machine" | "mat" | "medicineBall" | "pullUpBar" | "stabilityBall"; limit?: number; cursor?: string }; response: PageOfExercise };
  /** Get an exercise */
  "GET /v1/exercises/{id}": { args: { id: string }; response: Exercise };
  /** List the caller's saved exercises */
  "GET /v1/exercises/saved": { args: { limit?: number; cursor?: string }; response: PageOfExercise };
  /** Save an exercise */
  "PUT /v1/exercises/{id}/save": { args: { id: string }; response: void };
  /** Remove an exercise from the saved exercises */
  "DELETE /v1/exercises/{id}/save": { args: { id: string }; response: void };
  /** Share a saved exercise with followers */
  "PUT /v1/exercises/{id}/sharing": { args: { id: string }; response: Exercise };
  /** Stop sharing a saved exercise */
  "DELETE /v1/exercises/{id}/sharing": { args: { id: string }; response: void };
  /** List a user's shared exercises */
  "GET /v1/shared-exercises": { args: { user: string; limit?: number; cursor?: string }; response: PageOfSharedExercise };
  /** React to a shared exercise */
  "PUT /v1/shared-exercises/{id}/reactions/{emoji}": { args: { id: string; emoji: string }; response: void };
  /** Remove the caller's reaction to an exercise */
  "DELETE /v1/shared-exercises/{id}/reactions/{emoji}": { args: { id: string; emoji: string }; response: void };
  /** Send a message to the site owner */
  "POST /v1/contact-messages": { args: { body: CatalogSendContactMessageBody }; response: Acknowledgement; isKeyed: true };
  /** List contact messages */
  "GET /v1/contact-messages": { args: { state?: "open" | "answered" | "closed"; limit?: number; cursor?: string }; response: PageOfContactMessage };
  /** Get a contact message */
  "GET /v1/contact-messages/{id}": { args: { id: string }; response: ContactMessage };
  /** Update the state of a contact message */
  "PATCH /v1/contact-messages/{id}": { args: { id: string; body: CatalogUpdateContactMessageBody }; response: ContactMessage; hasVersion: true };
  /** Delete a contact message */
  "DELETE /v1/contact-messages/{id}": { args: { id: string }; response: void };
  /** Answer a contact message by e-mail */
  "POST /v1/contact-messages/{id}/answer": { args: { id: string; body: CatalogAnswerContactMessageBody }; response: ContactMessage; isKeyed: true };
  /** Request a newsletter subscription */
  "POST /v1/newsletter/subscriptions": { args: { body: CatalogSubscribeBody }; response: Acknowledgement };
  /** Request a newsletter subscription as a signed-in user */
  "POST /v1/newsletter/subscriptions/mine": { args: { body: CatalogSubscribeMeBody }; response: Acknowledgement };
  /** Unsubscribe from the newsletter as a signed-in user */
  "DELETE /v1/newsletter/subscriptions/mine": { args: Record<never, never>; response: void };
  /** Confirm a newsletter subscription with an e-mailed token */
  "POST /v1/newsletter/confirm": { args: { body: CatalogConfirmSubscriptionBody }; response: void };
  /** Get the page that confirms a newsletter subscription */
  "GET /v1/newsletter/confirm": { args: { token: string }; response: Blob };
  /** Unsubscribe from the newsletter */
  "POST /v1/newsletter/unsubscribe": { args: { token: string; body: CatalogUnsubscribeBody }; response: void };
  /** Get the page that unsubscribes from the newsletter */
  "GET /v1/newsletter/unsubscribe": { args: { token: string }; response: Blob };
  /** Send a newsletter issue to all subscribers */
  "POST /v1/newsletter/issues": { args: { body: CatalogSendNewsletterIssueBody }; response: NewsletterIssue; isKeyed: true };
  /** List newsletter issues */
  "GET /v1/newsletter/issues": { args: { limit?: number; cursor?: string }; response: PageOfNewsletterIssue };
  /** Get a newsletter issue and its sending progress */
  "GET /v1/newsletter/issues/{id}": { args: { id: string }; response: NewsletterIssue };
  /** Submit the form that confirms a newsletter subscription */
  "POST /v1/newsletter/pages/confirm": { args: { body: CatalogSendConfirmationFormBody }; response: Blob };
  /** Submit the form that unsubscribes from the newsletter */
  "POST /v1/newsletter/pages/unsubscribe": { args: { body: CatalogSendUnsubscriptionFormBody }; response: Blob };
  /** Get the site information */
  "GET /v1/site": { args: Record<never, never>; response: Site };
  /** Replace the site information */
  "PUT /v1/site": { args: { body: Site }; response: Site; hasVersion: true };
  /** List recommended tools and supplies */
  "GET /v1/tools": { args: { limit?: number; cursor?: string }; response: PageOfTool };
  /** Create a recommended tool */
  "POST /v1/tools": { args: { body: CatalogCreateToolBody }; response: Tool; isKeyed: true };
  /** Update a recommended tool */
  "PATCH /v1/tools/{id}": { args: { id: string; body: CatalogUpdateToolBody }; response: Tool; hasVersion: true };
  /** Delete a recommended tool */
  "DELETE /v1/tools/{id}": { args: { id: string }; response: void };
  /** List the enumerations with localized labels */
  "GET /v1/enumerations": { args: { language?: string }; response: Enumerations };
  /** Report an app crash */
  "POST /v1/crash-reports": { args: { body: GatewayReportCrashBody }; response: CrashReport };
  /** List crash reports */
  "GET /v1/admin/crash-reports": { args: { app?: "archived" | "keepfit" | "yesenia" | "roomi" | "letustudy" | "account" | "web"; limit?: number; cursor?: string }; response: PageOfCrashReport };
  /** Get the services' metrics of the last hour */
  "GET /v1/admin/metrics": { args: Record<never, never>; response: PlatformMetrics };
  /** Replace the topics of an open stream */
  "PUT /v1/events/{stream}/topics": { args: { stream: string; body: GatewayFollowTopicsBody }; response: FollowedTopics };
  /** Stream the events of the caller and of topics */
  "GET /v1/events": { args: { topics?: string }; response: Blob };
  /** Get the caller's roommate profile */
  "GET /v1/roommates/profile": { args: Record<never, never>; response: RoommateProfile };
  /** Create or replace the caller's profile */
  "PUT /v1/roommates/profile": { args: { body: MatchingPutRoommateProfileBody }; response: RoommateProfile; hasVersion: true };
  /** Delete the caller's profile */
  "DELETE /v1/roommates/profile": { args: Record<never, never>; response: void };
  /** List the fields of living preferences */
  "GET /v1/roommates/preference-fields": { args: Record<never, never>; response: PreferenceFields };
  /** Get the next cards of the caller's deck */
  "GET /v1/roommates/deck": { args: { limit?: number }; response: RoommateDeck };
  /** Like or dislike a user */
  "POST /v1/roommates/swipes": { args: { body: MatchingSwipeRoommateBody }; response: RoommateSwipe };
  /** Undo the last dislike */
  "DELETE /v1/roommates/swipes/last": { args: Record<never, never>; response: UndoneSwipe };
  /** List likes */
  "GET /v1/roommates/likes": { args: { direction?: "received" | "given"; limit?: number; cursor?: string }; response: RoommatePageOfRoommateLike };
  /** List matches */
  "GET /v1/roommates/matches": { args: { limit?: number; cursor?: string }; response: RoommatePageOfRoommateMatch };
  /** Get a match */
  "GET /v1/roommates/matches/{userID}": { args: { userID: string }; response: RoommateMatch };
  /** Get the suggestion of the day */
  "GET /v1/roommates/suggestion": { args: Record<never, never>; response: RoommateSuggestion };
  /** List the users that the caller has blocked */
  "GET /v1/blocks": { args: { limit?: number; cursor?: string }; response: PageOfRelatedUser };
  /** Block a user */
  "PUT /v1/blocks/{userID}": { args: { userID: string }; response: void };
  /** Unblock a user */
  "DELETE /v1/blocks/{userID}": { args: { userID: string }; response: void };
  /** List the caller's connections or requests */
  "GET /v1/connections": { args: { status?: "accepted" | "incoming" | "outgoing"; limit?: number; cursor?: string }; response: PageOfUserConnection };
  /** Request a connection with a user */
  "POST /v1/connections": { args: { body: MatchingRequestConnectionBody }; response: UserConnection };
  /** Accept a connection request */
  "POST /v1/connections/{id}/accept": { args: { id: string }; response: UserConnection };
  /** Decline a connection request */
  "POST /v1/connections/{id}/decline": { args: { id: string }; response: void };
  /** Remove a connection, or withdraw a request */
  "DELETE /v1/connections/{id}": { args: { id: string }; response: void };
  /** List and count the caller's connections who are connected to a user */
  "GET /v1/connections/mutual/{userID}": { args: { userID: string; limit?: number; cursor?: string }; response: RelatedUsers };
  /** List and count a user's followers or followed users */
  "GET /v1/follows": { args: { followers?: string; following?: string; limit?: number; cursor?: string }; response: RelatedUsers };
  /** Follow a user */
  "PUT /v1/follows/{userID}": { args: { userID: string }; response: void };
  /** Unfollow a user */
  "DELETE /v1/follows/{userID}": { args: { userID: string }; response: void };
  /** Get the caller's relationship to a user */
  "GET /v1/relations/{userID}": { args: { userID: string }; response: Relationship };
  /** List the caller's relationships to several users, in the order given */
  "GET /v1/relations": { args: { users: string }; response: PageOfRelationship };
  /** List the caller's conversations */
  "GET /v1/conversations": { args: { folder?: "inbox" | "requests"; limit?: number; cursor?: string }; response: ConversationPage };
  /** Get or start a conversation with a user */
  "POST /v1/conversations": { args: { body: MatchingStartConversationBody }; response: Conversation };
  /** Get a conversation */
  "GET /v1/conversations/{id}": { args: { id: string }; response: Conversation };
  /** Hide a conversation, or delete a message request */
  "DELETE /v1/conversations/{id}": { args: { id: string }; response: void };
  /** Accept a message request */
  "POST /v1/conversations/{id}/accept": { args: { id: string }; response: Conversation };
  /** Mark messages as received */
  "PUT /v1/conversations/{id}/delivered": { args: { id: string; body: MatchingMarkDeliveredBody }; response: ConversationMarkers };
  /** Mark messages as read */
  "PUT /v1/conversations/{id}/read": { args: { id: string; body: MatchingMarkReadBody }; response: ConversationMarkers };
  /** List messages */
  "GET /v1/conversations/{id}/messages": { args: { id: string; before?: number; after?: number; limit?: number; cursor?: string }; response: PageOfMessage };
  /** Send a message */
  "PUT /v1/conversations/{id}/messages/{messageID}": { args: { id: string; messageID: string; body: MatchingSendMessageBody }; response: Message };
  /** Update the text of a message */
  "PATCH /v1/conversations/{id}/messages/{messageID}": { args: { id: string; messageID: string; body: MatchingEditMessageBody }; response: Message };
  /** Delete a message */
  "DELETE /v1/conversations/{id}/messages/{messageID}": { args: { id: string; messageID: string }; response: void };
  /** React to a message */
  "PUT /v1/conversations/{id}/messages/{messageID}/reactions/{emoji}": { args: { id: string; messageID: string; emoji: string }; response: void };
  /** Remove a reaction */
  "DELETE /v1/conversations/{id}/messages/{messageID}/reactions/{emoji}": { args: { id: string; messageID: string; emoji: string }; response: void };
  /** Search the caller's messages */
  "GET /v1/conversations/search": { args: { query: string; conversation?: string; limit?: number; cursor?: string }; response: PageOfMessage };
  /** Send a typing indicator */
  "POST /v1/conversations/{id}/typing": { args: { id: string }; response: void };
  /** List the presence of users */
  "GET /v1/presence": { args: { users: string }; response: PageOfPresence };
  /** Report that the caller is active */
  "POST /v1/presence": { args: Record<never, never>; response: void };
  /** Get the caller's conversation settings */
  "GET /v1/conversations/settings": { args: Record<never, never>; response: ConversationSettings };
  /** Replace the caller's conversation settings */
  "PUT /v1/conversations/settings": { args: { body: ConversationSettings }; response: ConversationSettings };
  /** Report messages to support */
  "POST /v1/conversations/{id}/reports": { args: { id: string; body: MatchingReportMessagesBody }; response: MessageReportReceipt; isKeyed: true };
  /** List reports of messages */
  "GET /v1/admin/message-reports": { args: { state?: "open" | "inReview" | "resolved" | "dismissed"; limit?: number; cursor?: string }; response: PageOfMessageReport };
  /** Update the state of a report */
  "PATCH /v1/admin/message-reports/{id}": { args: { id: string; body: MatchingUpdateMessageReportBody }; response: MessageReport; hasVersion: true };
  /** Get a media item */
  "GET /v1/media/{id}": { args: { id: string }; response: Media };
  /** Update a media item (JSON merge patch) */
  "PATCH /v1/media/{id}": { args: { id: string; body: MediaUpdateMediaBody }; response: Media; hasVersion: true };
  /** Delete a media item */
  "DELETE /v1/media/{id}": { args: { id: string }; response: void; hasVersion: true };
  /** Create a link to a file of a media item */
  "POST /v1/media/{id}/links": { args: { id: string; body: MediaLinkMediaBody }; response: MediaLink };
  /** Get the content of a media item */
  "GET /v1/media/{id}/content": { args: { id: string; by?: string; expires?: number; signature?: string; file?: "taggedMP3" | "mp3" | "wav" | "stems"; license?: string; seller?: string; download?: boolean }; response: Blob };
  /** Get the preview of a recording */
  "GET /v1/media/{id}/preview": { args: { id: string; by?: string; expires?: number; signature?: string }; response: Blob };
  /** Get a picture of a video */
  "GET /v1/media/{id}/poster": { args: { id: string; by?: string; expires?: number; signature?: string }; response: Blob };
  /** Get the waveform of a recording */
  "GET /v1/media/{id}/waveform": { args: { id: string; samplesPerPixel?: number; by?: string; expires?: number; signature?: string }; response: Blob };
  /** Get a playlist or a segment of a video */
  "GET /v1/media/{id}/hls/{file}": { args: { id: string; file: string; by?: string; expires?: number; signature?: string }; response: Blob };
  /** Get a thumbnail of a media item */
  "GET /v1/media/{id}/thumbnail": { args: { id: string; width?: number; format?: "webp" | "jpeg"; by?: string; expires?: number; signature?: string }; response: Blob };
  /** Get the crop of a picture */
  "GET /v1/media/{id}/crop": { args: { id: string }; response: CroppedPicture };
  /** Rotate and crop a picture */
  "PUT /v1/media/{id}/crop": { args: { id: string; body: MediaCropPictureBody }; response: Media; hasVersion: true };
  /** Start a text scan of a media item */
  "POST /v1/media/{id}/scan": { args: { id: string }; response: Scan };
  /** Get the state of a scan */
  "GET /v1/media/{id}/scan": { args: { id: string }; response: Scan };
  /** List the scanned pages of a media item */
  "GET /v1/media/{id}/scan/pages": { args: { id: string; limit?: number; cursor?: string }; response: PageOfScannedPage };
  /** List and search media */
  "GET /v1/media": { args: { kind?: "image" | "audio" | "video" | "document"; tag?: string; query?: string; owner?: string; workoutType?: string; productType?: string; sort?: "relevance" | "newest" | "duration" | "title"; limit?: number; cursor?: string }; response: PageOfMedia };
  /** Count media by kind, tag, workout type and product type */
  "GET /v1/media/counts": { args: { kind?: "image" | "audio" | "video" | "document"; tag?: string; query?: string; owner?: string; workoutType?: string; productType?: string }; response: MediaCounts };
  /** Add a video from YouTube */
  "POST /v1/media/links": { args: { body: MediaAddVideoLinkBody }; response: Media; isKeyed: true };
  /** Save a media item */
  "PUT /v1/media/{id}/save": { args: { id: string }; response: void };
  /** Remove a saved media item */
  "DELETE /v1/media/{id}/save": { args: { id: string }; response: void };
  /** List the caller's saved media */
  "GET /v1/media/saved": { args: { limit?: number; cursor?: string }; response: PageOfMedia };
  /** List live streams */
  "GET /v1/livestreams": { args: { query?: string; tag?: string; workoutType?: string; host?: string; state?: "creating" | "scheduled" | "live" | "ended" | "failed"; limit?: number; cursor?: string }; response: PageOfLivestream };
  /** Create a live stream */
  "POST /v1/livestreams": { args: { body: MediaCreateLivestreamBody }; response: Livestream; isKeyed: true };
  /** List the live stream providers */
  "GET /v1/livestreams/providers": { args: Record<never, never>; response: LivestreamProviders };
  /** Get a live stream */
  "GET /v1/livestreams/{id}": { args: { id: string }; response: Livestream };
  /** Get the host's link to start a live stream */
  "POST /v1/livestreams/{id}/start": { args: { id: string }; response: LivestreamStart };
  /** End a live stream */
  "POST /v1/livestreams/{id}/end": { args: { id: string }; response: Livestream };
  /** Receive a Zoom webhook */
  "POST /v1/webhooks/zoom": { args: { body: Blob | string }; response: ZoomWebhookReceipt };
  /** Get the capabilities of uploads */
  "OPTIONS /v1/uploads": { args: Record<never, never>; response: void };
  /** Create an upload, or join partial ones */
  "POST /v1/uploads": { args: { body?: Blob | string }; response: void };
  /** Get the capabilities of an upload */
  "OPTIONS /v1/uploads/{id}": { args: { id: string }; response: void };
  /** Get the offset of an upload */
  "HEAD /v1/uploads/{id}": { args: { id: string }; response: void };
  /** Append to an upload */
  "PATCH /v1/uploads/{id}": { args: { id: string; body?: Blob | string }; response: void };
  /** Cancel an upload */
  "DELETE /v1/uploads/{id}": { args: { id: string }; response: void };
  /** Run the method in X-HTTP-Method-Override on an upload */
  "POST /v1/uploads/{id}": { args: { id: string; body?: Blob | string }; response: void };
  /** Get the caller's cart */
  "GET /v1/cart": { args: Record<never, never>; response: Cart };
  /** Add an item to the cart */
  "POST /v1/cart/items": { args: { body: OrdersAddCartItemBody }; response: Cart; hasVersion: true; isKeyed: true };
  /** Change the quantity of a cart item */
  "PATCH /v1/cart/items/{id}": { args: { id: string; body: OrdersUpdateCartItemBody }; response: Cart; hasVersion: true };
  /** Remove an item from the cart */
  "DELETE /v1/cart/items/{id}": { args: { id: string }; response: Cart };
  /** Quote the cart with tax and shipping */
  "POST /v1/cart/quote": { args: { body: OrdersQuoteCartBody }; response: Quote };
  /** Check out the cart */
  "POST /v1/cart/checkout": { args: { body: OrdersCheckOutBody }; response: Order; hasVersion: true; isKeyed: true };
  /** List the caller's orders */
  "GET /v1/orders": { args: { limit?: number; cursor?: string }; response: PageOfOrder };
  /** List all orders */
  "GET /v1/admin/orders": { args: { status?: "pendingPayment" | "placed" | "canceled" | "expired"; fulfillment?: "processing" | "processed" | "shipped" | "delivered" | "canceled"; limit?: number; cursor?: string }; response: PageOfOrder };
  /** Get an order */
  "GET /v1/orders/{id}": { args: { id: string }; response: Order };
  /** Update an order's fulfillment status */
  "PATCH /v1/orders/{id}": { args: { id: string; body: OrdersUpdateOrderBody }; response: Order; hasVersion: true };
  /** Cancel an order */
  "POST /v1/orders/{id}/cancel": { args: { id: string; body: OrdersCancelOrderBody }; response: Order };
  /** Get the receipt of a paid order */
  "GET /v1/orders/{id}/receipt": { args: { id: string }; response: Receipt };
  /** Get a printable receipt */
  "GET /v1/orders/{id}/receipt.html": { args: { id: string }; response: Blob };
  /** Refund an order */
  "POST /v1/orders/{id}/refunds": { args: { id: string; body: OrdersRefundOrderBody }; response: Refund; isKeyed: true };
  /** List an order's refunds */
  "GET /v1/orders/{id}/refunds": { args: { id: string; limit?: number; cursor?: string }; response: PageOfRefund };
  /** List all refunds */
  "GET /v1/refunds": { args: { status?: "pending" | "succeeded" | "failed" | "replaced" | "reversed"; limit?: number; cursor?: string }; response: PageOfRefund };
  /** Retry a failed refund */
  "POST /v1/refunds/{id}/retry": { args: { id: string; body: OrdersRetryRefundBody }; response: Refund; isKeyed: true };
  /** Pay an order */
  "POST /v1/orders/{id}/payments": { args: { id: string; body: OrdersPayOrderBody }; response: Order; isKeyed: true };
  /** Price an unpaid order for the buyer's region */
  "PUT /v1/orders/{id}/region": { args: { id: string; body: OrdersSetOrderRegionBody }; response: Order };
  /** Refresh the state of a payment */
  "POST /v1/orders/{id}/payments/{payment}/refresh": { args: { id: string; payment: string }; response: Order };
  /** Submit a StoreKit 2 transaction */
  "POST /v1/payments/storekit/transactions": { args: { body: OrdersSubmitTransactionBody }; response: StoreKitResult };
  /** Receive a payment provider webhook */
  "POST /v1/payments/webhooks/{provider}": { args: { provider: "test" | "stripe" | "storekit"; body: Blob | string }; response: WebhookReceipt };
  /** Get earnings and store credit */
  "GET /v1/balance": { args: Record<never, never>; response: PageOfBalance };
  /** List balance entries */
  "GET /v1/balance/entries": { args: { limit?: number; cursor?: string }; response: PageOfBalanceEntry };
  /** Grant store credit to a user */
  "POST /v1/admin/users/{user}/credit": { args: { user: string; body: OrdersGrantCreditBody }; response: Balance; isKeyed: true };
  /** List payment methods */
  "GET /v1/payment-methods": { args: Record<never, never>; response: PageOfPaymentMethod };
  /** Add a payment method */
  "POST /v1/payment-methods": { args: { body: OrdersAddPaymentMethodBody }; response: PaymentMethod; isKeyed: true };
  /** Refresh the state of a payment method */
  "POST /v1/payment-methods/{id}/refresh": { args: { id: string }; response: PaymentMethod };
  /** Delete a payment method */
  "DELETE /v1/payment-methods/{id}": { args: { id: string }; response: void };
  /** Get the contact data of payments */
  "GET /v1/payment-settings": { args: Record<never, never>; response: PaymentSettings };
  /** Set the contact data of payments */
  "PUT /v1/payment-settings": { args: { body: OrdersPutPaymentSettingsBody }; response: PaymentSettings };
  /** List the caller's sales */
  "GET /v1/sales": { args: { limit?: number; cursor?: string }; response: PageOfSoldLine };
  /** Get the caller's sales by month and currency */
  "GET /v1/sales/summary": { args: Record<never, never>; response: PageOfSalesMonth };
  /** Get the bank account for pay-outs */
  "GET /v1/payout-account": { args: Record<never, never>; response: PayoutAccount };
  /** Set the bank account for pay-outs */
  "PUT /v1/payout-account": { args: { body: OrdersPutPayoutAccountBody }; response: PayoutAccount };
  /** Request a pay-out of earnings */
  "POST /v1/payouts": { args: { body: OrdersRequestPayoutBody }; response: Payout; isKeyed: true };
  /** List the caller's pay-outs */
  "GET /v1/payouts": { args: { limit?: number; cursor?: string }; response: PageOfPayout };
  /** List all pay-outs */
  "GET /v1/admin/payouts": { args: { status?: "requested" | "paid" | "rejected"; limit?: number; cursor?: string }; response: PageOfPayout };
  /** Get the bank account of a pay-out */
  "GET /v1/admin/payouts/{id}/bank-account": { args: { id: string }; response: BankAccount };
  /** Record the payment of a pay-out */
  "POST /v1/payouts/{id}/pay": { args: { id: string; body: OrdersPayPayoutBody }; response: Payout };
  /** Reject a pay-out */
  "POST /v1/payouts/{id}/reject": { args: { id: string; body: OrdersRejectPayoutBody }; response: Payout };
  /** List auctions */
  "GET /v1/auctions": { args: { listing?: string; seller?: string; status?: "scheduled" | "open" | "sold" | "reserveNotMet" | "noBids" | "canceled" | "unpaid"; bidder?: "me"; watched?: boolean; limit?: number; cursor?: string }; response: PageOfAuction };
  /** Create an auction */
  "POST /v1/auctions": { args: { body: OrdersCreateAuctionBody }; response: Auction; isKeyed: true };
  /** Get an auction */
  "GET /v1/auctions/{id}": { args: { id: string }; response: Auction };
  /** Cancel an auction */
  "POST /v1/auctions/{id}/cancel": { args: { id: string }; response: Auction };
  /** List bids */
  "GET /v1/auctions/{id}/bids": { args: { id: string; limit?: number; cursor?: string }; response: PageOfBid };
  /** Place a bid */
  "POST /v1/auctions/{id}/bids": { args: { id: string; body: OrdersPlaceBidBody }; response: BidReceipt; isKeyed: true };
  /** Buy an auctioned listing now */
  "POST /v1/auctions/{id}/buy-now": { args: { id: string }; response: Order; isKeyed: true };
  /** List auction events */
  "GET /v1/auctions/{id}/events": { args: { id: string; after?: number; limit?: number }; response: AuctionFeed };
  /** Watch an auction */
  "PUT /v1/auctions/{id}/watch": { args: { id: string }; response: void };
  /** Stop watching an auction */
  "DELETE /v1/auctions/{id}/watch": { args: { id: string }; response: void };
  /** List the strikes of buyers */
  "GET /v1/auction-strikes": { args: { user?: string; limit?: number; cursor?: string }; response: PageOfAuctionStrike };
  /** Lift a strike */
  "DELETE /v1/auction-strikes/{id}": { args: { id: string }; response: void };
  /** List offers */
  "GET /v1/offers": { args: { listing?: string; limit?: number; cursor?: string }; response: PageOfOffer };
  /** Make an offer for a license */
  "POST /v1/offers": { args: { body: OrdersMakeOfferBody }; response: Offer; isKeyed: true };
  /** Get an offer */
  "GET /v1/offers/{id}": { args: { id: string }; response: Offer };
  /** Make a counteroffer */
  "POST /v1/offers/{id}/counter": { args: { id: string; body: OrdersCounterOfferBody }; response: Offer; isKeyed: true };
  /** Accept an offer */
  "POST /v1/offers/{id}/accept": { args: { id: string }; response: Offer; isKeyed: true };
  /** Decline an offer */
  "POST /v1/offers/{id}/decline": { args: { id: string }; response: Offer };
  /** Retract an offer */
  "POST /v1/offers/{id}/retract": { args: { id: string }; response: Offer };
  /** List StoreKit purchases that could not be booked */
  "GET /v1/payments/storekit/unmatched": { args: { limit?: number; cursor?: string }; response: PageOfUnmatchedPurchase };
  /** List the caller's licenses */
  "GET /v1/licenses": { args: { listing?: string; limit?: number; cursor?: string }; response: PageOfLicense };
  /** Get a license */
  "GET /v1/licenses/{id}": { args: { id: string }; response: License };
  /** Get a download URL for a licensed file */
  "GET /v1/licenses/{id}/download": { args: { id: string; file?: "taggedMP3" | "mp3" | "wav" | "stems" }; response: Download };
  /** Count the licenses of a listing */
  "GET /v1/licenses/count": { args: { listing: string }; response: LicenseCount };
  /** List premium plans */
  "GET /v1/plans": { args: Record<never, never>; response: PageOfPlan };
  /** List the caller's subscriptions */
  "GET /v1/subscriptions": { args: Record<never, never>; response: PageOfSubscription };
  /** Subscribe to a plan */
  "POST /v1/subscriptions": { args: { body: OrdersSubscribeBody }; response: Subscription; isKeyed: true };
  /** Get one of the caller's subscriptions */
  "GET /v1/subscriptions/{id}": { args: { id: string }; response: Subscription };
  /** Update a subscription */
  "PATCH /v1/subscriptions/{id}": { args: { id: string; body: OrdersUpdateSubscriptionBody }; response: Subscription };
  /** Cancel a subscription */
  "DELETE /v1/subscriptions/{id}": { args: { id: string }; response: Subscription };
  /** Get the tax and shipping rules */
  "GET /v1/pricing-rules": { args: Record<never, never>; response: PricingRules };
  /** Set the tax and shipping rules */
  "PUT /v1/pricing-rules": { args: { body: OrdersPutPricingRulesBody }; response: PricingRules; hasVersion: true };
  /** List the members of a group plan */
  "GET /v1/subscriptions/{id}/members": { args: { id: string; limit?: number; cursor?: string }; response: PageOfPlanMember };
  /** Invite someone to a group plan */
  "POST /v1/subscriptions/{id}/members": { args: { id: string; body: OrdersInvitePlanMemberBody }; response: PlanInvitation; isKeyed: true };
  /** Remove a member of a group plan */
  "DELETE /v1/subscriptions/{id}/members/{userID}": { args: { id: string; userID: string }; response: void };
  /** List the open invitations to a group plan */
  "GET /v1/subscriptions/{id}/invitations": { args: { id: string; limit?: number; cursor?: string }; response: PageOfPlanInvitation };
  /** Withdraw an invitation to a group plan */
  "DELETE /v1/subscriptions/{id}/invitations/{invitation}": { args: { id: string; invitation: string }; response: void };
  /** List the caller's invitations to group plans */
  "GET /v1/plan-invitations": { args: { limit?: number; cursor?: string }; response: PageOfPlanInvitation };
  /** Accept an invitation to a group plan */
  "POST /v1/plan-invitations/{code}/accept": { args: { code: string }; response: PlanMembership };
  /** List the caller's memberships of group plans */
  "GET /v1/plan-memberships": { args: Record<never, never>; response: PageOfPlanMembership };
  /** Synchronize a device */
  "POST /v1/sync": { args: { body: StudySyncBody }; response: SyncResponse };
  /** List lost edits that the caller can restore */
  "GET /v1/sync/conflicts": { args: { limit?: number; cursor?: string }; response: PageOfSyncConflictRecord };
  /** Restore a deleted record with its lost edits */
  "POST /v1/sync/conflicts/{id}/restore": { args: { id: string }; response: SyncRecord };
  /** Resolve texts that could not be merged */
  "POST /v1/sync/conflicts/{id}/resolve": { args: { id: string; body: StudyResolveVariantsBody }; response: SyncRecord };
  /** List the study sets visible to the caller */
  "GET /v1/study-sets": { args: { order?: "newest" | "opened"; deleted?: boolean; limit?: number; cursor?: string }; response: PageOfStudySet };
  /** Create a set */
  "POST /v1/study-sets": { args: { body: StudyCreateSetBody }; response: StudySet; isKeyed: true };
  /** Get a set */
  "GET /v1/study-sets/{id}": { args: { id: string }; response: StudySet };
  /** Update a set (JSON merge patch) */
  "PATCH /v1/study-sets/{id}": { args: { id: string; body: StudyUpdateSetBody }; response: StudySet; hasVersion: true };
  /** Delete a set with its cards */
  "DELETE /v1/study-sets/{id}": { args: { id: string }; response: void; hasVersion: true };
  /** Restore a deleted set */
  "POST /v1/study-sets/{id}/restore": { args: { id: string }; response: StudySet };
  /** Mark a set as opened */
  "PUT /v1/study-sets/{id}/opened": { args: { id: string }; response: void };
  /** List the cards of a set */
  "GET /v1/study-sets/{id}/cards": { args: { id: string; deleted?: boolean; limit?: number; cursor?: string }; response: PageOfStudyCard };
  /** Add a card to a set */
  "POST /v1/study-sets/{id}/cards": { args: { id: string; body: StudyCreateCardBody }; response: StudyCard; isKeyed: true };
  /** Get a card */
  "GET /v1/cards/{id}": { args: { id: string }; response: StudyCard };
  /** Update a card (JSON merge patch) */
  "PATCH /v1/cards/{id}": { args: { id: string; body: StudyUpdateCardBody }; response: StudyCard; hasVersion: true };
  /** Delete a card */
  "DELETE /v1/cards/{id}": { args: { id: string }; response: void; hasVersion: true };
  /** Restore a deleted card */
  "POST /v1/cards/{id}/restore": { args: { id: string }; response: StudyCard };
  /** Move a card next to another one */
  "PUT /v1/cards/{id}/position": { args: { id: string; body: StudyMoveCardBody }; response: StudyCard; hasVersion: true };
  /** List the members and links of a set */
  "GET /v1/study-sets/{id}/shares": { args: { id: string }; response: SetShares };
  /** Share a set */
  "POST /v1/study-sets/{id}/shares": { args: { id: string; body: StudyShareSetBody }; response: SetShare };
  /** Change the role of a member */
  "PATCH /v1/study-sets/{id}/shares/{userID}": { args: { id: string; userID: string; body: StudyChangeShareBody }; response: SetShares };
  /** Remove a member from a set, or leave it */
  "DELETE /v1/study-sets/{id}/shares/{userID}": { args: { id: string; userID: string }; response: void };
  /** Accept the ownership of a set */
  "POST /v1/study-sets/{id}/ownership": { args: { id: string }; response: SetShares };
  /** Revoke a link */
  "DELETE /v1/study-sets/{id}/links/{link}": { args: { id: string; link: string }; response: void };
  /** Join a set with a link */
  "POST /v1/study-sets/shares/accept": { args: { body: StudyAcceptShareBody }; response: StudySet };
  /** Publish a set in the library */
  "PUT /v1/study-sets/{id}/publication": { args: { id: string }; response: LibrarySet };
  /** Remove a set from the library */
  "DELETE /v1/study-sets/{id}/publication": { args: { id: string }; response: void };
  /** Search the library */
  "GET /v1/library": { args: { query?: string; order?: "newest" | "popular"; limit?: number; cursor?: string }; response: PageOfLibrarySet };
  /** Get a published set */
  "GET /v1/library/{id}": { args: { id: string }; response: LibrarySet };
  /** List the cards of a published set */
  "GET /v1/library/{id}/cards": { args: { id: string; limit?: number; cursor?: string }; response: PageOfLibraryCard };
  /** Copy a published set */
  "POST /v1/library/{id}/copy": { args: { id: string }; response: StudySet; isKeyed: true };
  /** Report a published set to support */
  "POST /v1/library/{id}/reports": { args: { id: string; body: StudyReportLibrarySetBody }; response: void };
  /** List reports of published sets */
  "GET /v1/admin/library-reports": { args: { limit?: number; cursor?: string }; response: PageOfLibraryReport };
  /** Remove another user's set from the library */
  "DELETE /v1/admin/library/{id}": { args: { id: string }; response: void };
  /** Allow a removed set back into the library */
  "PUT /v1/admin/library/{id}": { args: { id: string }; response: void };
  /** Import cards from a file */
  "POST /v1/study-sets/import": { args: { set?: string; title?: string; schedule?: boolean; body: Blob | string }; response: StudyImport; isKeyed: true };
  /** Export a set to a file */
  "GET /v1/study-sets/{id}/export": { args: { id: string; format: "txt" | "csv" | "json" | "apkg"; schedule?: boolean }; response: Blob };
  /** Create card drafts from a text */
  "POST /v1/study-sets/{id}/drafts": { args: { id: string; body: StudyDraftCardsBody }; response: CardDraftList };
  /** Record reviews of cards */
  "POST /v1/reviews": { args: { body: StudyAddReviewsBody }; response: ReviewedCards; isKeyed: true };
  /** List the due cards of a set */
  "GET /v1/study-sets/{id}/due": { args: { id: string; limit?: number; utcOffsetMinutes?: number }; response: DueCards };
  /** Count the due cards of every set */
  "GET /v1/due": { args: { utcOffsetMinutes?: number }; response: DueCounts };
  /** Get the caller's schedule of a card */
  "GET /v1/cards/{id}/schedule": { args: { id: string }; response: DueCard };
  /** Get the caller's scheduler */
  "GET /v1/scheduler": { args: Record<never, never>; response: StudyScheduler };
  /** Update the caller's scheduler (JSON merge patch) */
  "PATCH /v1/scheduler": { args: { body: StudyUpdateSchedulerBody }; response: StudyScheduler };
  /** Fit the scheduler to the caller's reviews */
  "POST /v1/scheduler/fit": { args: Record<never, never>; response: void };
  /** Add study time */
  "POST /v1/study-sessions": { args: { body: StudyAddStudySessionsBody }; response: AddedSessions; isKeyed: true };
  /** Get the caller's study statistics */
  "GET /v1/stats": { args: { from?: string; to?: string; set?: string; utcOffsetMinutes?: number }; response: StudyStatistics };
  /** Get the caller's study days and streak */
  "GET /v1/calendar": { args: { from?: string; to?: string; utcOffsetMinutes?: number }; response: StudyCalendarPage };
  /** Get the caller's recent sets, due cards, streak and time today */
  "GET /v1/home": { args: { utcOffsetMinutes?: number }; response: StudyHome };
  /** List quizzes */
  "GET /v1/quizzes": { args: { set?: string; limit?: number; cursor?: string }; response: PageOfQuiz };
  /** Create a quiz from study sets */
  "POST /v1/quizzes": { args: { body: StudyCreateQuizBody }; response: Quiz; isKeyed: true };
  /** Get a quiz */
  "GET /v1/quizzes/{id}": { args: { id: string }; response: Quiz };
  /** Update a quiz */
  "PATCH /v1/quizzes/{id}": { args: { id: string; body: StudyUpdateQuizBody }; response: Quiz; hasVersion: true };
  /** Delete a quiz */
  "DELETE /v1/quizzes/{id}": { args: { id: string }; response: void };
  /** Start an attempt at a quiz */
  "POST /v1/quizzes/{id}/attempts": { args: { id: string; mistakesOf?: string; body: StudyStartAttemptBody }; response: QuizAttempt; isKeyed: true };
  /** List the caller's attempts */
  "GET /v1/attempts": { args: { quiz?: string; set?: string; status?: "running" | "finished"; limit?: number; cursor?: string }; response: PageOfAttemptSummary };
  /** Get one of the caller's attempts */
  "GET /v1/attempts/{id}": { args: { id: string }; response: QuizAttempt };
  /** Answer questions of an attempt */
  "POST /v1/attempts/{id}/answers": { args: { id: string; body: StudyAnswerQuestionsBody }; response: AttemptSummary };
  /** Finish and grade an attempt */
  "POST /v1/attempts/{id}/finish": { args: { id: string }; response: QuizAttempt };
  /** List the questions of an attempt that were not answered correctly */
  "GET /v1/attempts/{id}/mistakes": { args: { id: string }; response: PageOfAttemptQuestion };
  /** List the caller's courses */
  "GET /v1/courses": { args: { state?: "active" | "archived"; limit?: number; cursor?: string }; response: PageOfCourse };
  /** Create a course */
  "POST /v1/courses": { args: { body: StudyCreateCourseBody }; response: Course; isKeyed: true };
  /** Get a course */
  "GET /v1/courses/{id}": { args: { id: string }; response: Course };
  /** Update, archive or reopen a course */
  "PATCH /v1/courses/{id}": { args: { id: string; body: StudyUpdateCourseBody }; response: Course; hasVersion: true };
  /** List the members of a course */
  "GET /v1/courses/{id}/members": { args: { id: string; role?: "owner" | "instructor" | "student"; limit?: number; cursor?: string }; response: PageOfCourseMember };
  /** Leave a course, or remove a member */
  "DELETE /v1/courses/{id}/members/{user}": { args: { id: string; user: string }; response: void };
  /** Join a course with its code */
  "POST /v1/courses/join": { args: { body: StudyJoinCourseBody }; response: Course };
  /** Get the join code of a course */
  "GET /v1/courses/{id}/code": { args: { id: string }; response: CourseJoining };
  /** Replace the join code of a course */
  "POST /v1/courses/{id}/code": { args: { id: string }; response: CourseJoining };
  /** Delete the join code of a course */
  "DELETE /v1/courses/{id}/code": { args: { id: string }; response: void };
  /** Invite someone to a course by e-mail */
  "POST /v1/courses/{id}/invitations": { args: { id: string; body: StudyInviteToCourseBody }; response: CourseInvitation };
  /** List the invitations to a course */
  "GET /v1/courses/{id}/invitations": { args: { id: string; limit?: number; cursor?: string }; response: PageOfCourseInvitation };
  /** Withdraw an invitation */
  "DELETE /v1/courses/{id}/invitations/{invitation}": { args: { id: string; invitation: string }; response: void };
  /** Accept an invitation to a course */
  "POST /v1/course-invitations/accept": { args: { body: StudyAcceptCourseInvitationBody }; response: Course; isKeyed: true };
  /** List the materials of a course in their order */
  "GET /v1/courses/{course}/materials": { args: { course: string; limit?: number; cursor?: string }; response: PageOfCourseMaterial };
  /** Add a material to a course */
  "POST /v1/courses/{course}/materials": { args: { course: string; body: StudyCreateMaterialBody }; response: CourseMaterial; isKeyed: true };
  /** Update a material */
  "PATCH /v1/courses/{course}/materials/{id}": { args: { course: string; id: string; body: StudyUpdateMaterialBody }; response: CourseMaterial; hasVersion: true };
  /** Remove a material from a course */
  "DELETE /v1/courses/{course}/materials/{id}": { args: { course: string; id: string }; response: void };
  /** Reorder the materials of a course */
  "PUT /v1/courses/{course}/materials/order": { args: { course: string; body: StudyOrderMaterialsBody }; response: void };
  /** Remove a set from a course */
  "DELETE /v1/study-sets/{id}/courses/{course}": { args: { id: string; course: string }; response: void };
  /** List the assignments of a course */
  "GET /v1/courses/{course}/assignments": { args: { course: string; limit?: number; cursor?: string }; response: PageOfAssignment };
  /** Create an assignment */
  "POST /v1/courses/{course}/assignments": { args: { course: string; body: StudyCreateAssignmentBody }; response: Assignment; isKeyed: true };
  /** Get an assignment */
  "GET /v1/courses/{course}/assignments/{id}": { args: { course: string; id: string }; response: Assignment };
  /** Update or publish an assignment */
  "PATCH /v1/courses/{course}/assignments/{id}": { args: { course: string; id: string; body: StudyUpdateAssignmentBody }; response: Assignment; hasVersion: true };
  /** Delete an assignment without submissions */
  "DELETE /v1/courses/{course}/assignments/{id}": { args: { course: string; id: string }; response: void };
  /** Submit work for an assignment */
  "PUT /v1/courses/{course}/assignments/{assignment}/submission": { args: { course: string; assignment: string; body: StudySubmitBody }; response: Submission; hasVersion: true };
  /** List submissions to the assignments of a course */
  "GET /v1/courses/{course}/submissions": { args: { course: string; assignment?: string; student?: string; limit?: number; cursor?: string }; response: PageOfSubmission };
  /** Get a submission with its history */
  "GET /v1/courses/{course}/submissions/{id}": { args: { course: string; id: string }; response: SubmissionDetails };
  /** Grade a student's work */
  "PUT /v1/courses/{course}/assignments/{assignment}/grades/{student}": { args: { course: string; assignment: string; student: string; body: StudyGradeSubmissionBody }; response: Submission; hasVersion: true };
  /** Get the grades of a course */
  "GET /v1/courses/{course}/grades": { args: { course: string; limit?: number; cursor?: string }; response: PageOfGradebookRow };
  /** Get the progress of a course's students */
  "GET /v1/courses/{course}/progress": { args: { course: string; limit?: number; cursor?: string }; response: PageOfCourseProgress };
  /** List the discussions of a course */
  "GET /v1/courses/{course}/discussions": { args: { course: string; limit?: number; cursor?: string }; response: PageOfDiscussion };
  /** Start a discussion */
  "POST /v1/courses/{course}/discussions": { args: { course: string; body: StudyStartDiscussionBody }; response: Discussion; isKeyed: true };
  /** Get a discussion */
  "GET /v1/courses/{course}/discussions/{id}": { args: { course: string; id: string }; response: Discussion };
  /** Update or lock a discussion */
  "PATCH /v1/courses/{course}/discussions/{id}": { args: { course: string; id: string; body: StudyUpdateDiscussionBody }; response: Discussion; hasVersion: true };
  /** Delete the content of a discussion */
  "DELETE /v1/courses/{course}/discussions/{id}": { args: { course: string; id: string }; response: void };
  /** List the replies of a discussion */
  "GET /v1/courses/{course}/discussions/{discussion}/replies": { args: { course: string; discussion: string; limit?: number; cursor?: string }; response: PageOfDiscussionReply };
  /** Reply to a discussion */
  "POST /v1/courses/{course}/discussions/{discussion}/replies": { args: { course: string; discussion: string; body: StudyReplyToDiscussionBody }; response: DiscussionReply; isKeyed: true };
  /** Update a reply */
  "PATCH /v1/courses/{course}/discussions/{discussion}/replies/{id}": { args: { course: string; discussion: string; id: string; body: StudyUpdateDiscussionReplyBody }; response: DiscussionReply; hasVersion: true };
  /** Delete a reply */
  "DELETE /v1/courses/{course}/discussions/{discussion}/replies/{id}": { args: { course: string; discussion: string; id: string }; response: void };
  /** List workout types with their intensities and energy costs */
  "GET /v1/workout-types": { args: Record<never, never>; response: WorkoutTable };
  /** List the caller's workouts */
  "GET /v1/workouts": { args: { limit?: number; cursor?: string }; response: PageOfWorkout };
  /** Start or record a workout */
  "POST /v1/workouts": { args: { body: StudyStartWorkoutBody }; response: Workout; isKeyed: true };
  /** Get one of the caller's workouts */
  "GET /v1/workouts/{id}": { args: { id: string }; response: Workout };
  /** Update a workout */
  "PATCH /v1/workouts/{id}": { args: { id: string; body: StudyUpdateWorkoutBody }; response: Workout };
  /** Delete a workout */
  "DELETE /v1/workouts/{id}": { args: { id: string }; response: void };
  /** Pause a running workout */
  "POST /v1/workouts/{id}/pause": { args: { id: string }; response: Workout };
  /** Resume a paused workout */
  "POST /v1/workouts/{id}/resume": { args: { id: string }; response: Workout };
  /** Finish a workout and compute its energy */
  "POST /v1/workouts/{id}/finish": { args: { id: string; body: StudyFinishWorkoutBody }; response: Workout };
  /** Get totals of the caller's workouts */
  "GET /v1/workouts/totals": { args: { from: string; to: string }; response: WorkoutTotals };
  /** Share a finished workout with followers */
  "PUT /v1/workouts/{id}/sharing": { args: { id: string; body: StudyShareWorkoutBody }; response: Workout };
  /** Stop sharing a workout */
  "DELETE /v1/workouts/{id}/sharing": { args: { id: string }; response: void };
  /** List a user's shared workouts */
  "GET /v1/shared-workouts": { args: { user: string; limit?: number; cursor?: string }; response: PageOfSharedWorkout };
  /** React to a shared workout */
  "PUT /v1/workouts/{id}/reactions/{emoji}": { args: { id: string; emoji: string }; response: void };
  /** Remove the caller's reaction to a workout */
  "DELETE /v1/workouts/{id}/reactions/{emoji}": { args: { id: string; emoji: string }; response: void };
}
