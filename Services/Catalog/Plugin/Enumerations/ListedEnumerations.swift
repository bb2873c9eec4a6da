import Contracts
import StudyModel

/// The enumerations whose words people read, from the contracts of all services.
enum ListedEnumerations {
  struct Listed {
    var name: String
    var values: [String]

    init(name: String, values: [String]) { (self.name, self.values) = (name, values) }

    /// Named by the type: `productAvailability` for `Product.Availability`.
    fileprivate init<Value: WireEnum>(_ type: Value.Type) {
      let names = String(reflecting: type).split(separator: ".").dropFirst()
      let name = names.joined()
      self.init(name: name.prefix(1).lowercased() + name.dropFirst(), values: type.allCases.map(\.rawValue))
    }
  }

  static let all: [Listed] =
    (accounts + catalog + orders + people + media + courses + study).sorted { $0.name < $1.name }

  private static let accounts: [Listed] = [
    Listed(ChosenRole.self), Listed(ClientApp.self), Listed(ConsentPurpose.self), Listed(FitnessLevel.self),
    Listed(Gender.self), Listed(ProfileField.self), Listed(Role.self), Listed(Visibility.self),
    Listed(GuardianStatus.State.self), Listed(NotificationKind.self), Listed(ReminderRepetition.Interval.self),
    Listed(SchoolRole.self), Listed(Weekday.self),
  ]

  private static let catalog: [Listed] = [
    Listed(ContactMessage.State.self), Listed(Equipment.self), Listed(ExerciseLevel.self), Listed(LicenseKind.self),
    Listed(LicensedFile.self), Listed(ListingKind.self), Listed(ListingSort.self), Listed(Muscle.self),
    Listed(Product.Availability.self),
  ]

  private static let orders: [Listed] = [
    Listed(AuctionEvent.Kind.self), Listed(AuctionStatus.self), Listed(Balance.Kind.self), Listed(Cart.Status.self),
    Listed(FulfillmentStatus.self), Listed(License.Status.self), Listed(Offer.Party.self), Listed(OfferStatus.self),
    Listed(OrderStatus.self), Listed(PaymentProviderName.self), Listed(PaymentStatus.self),
    Listed(Refund.Status.self),
  ]

  private static let people: [Listed] = [
    Listed(ConnectionStatus.self), Listed(Conversation.Folder.self), Listed(LivingFrequency.self),
    Listed(MessageReport.Reason.self), Listed(MessageReport.State.self), Listed(Pet.self),
    Listed(PreferenceWeight.self), Listed(Presence.Status.self), Listed(RoommateDistance.self),
    Listed(RoommateReason.Code.self), Listed(RoommateStage.self), Listed(SleepRhythm.self), Listed(SmokingHabit.self),
  ]

  private static let media: [Listed] = [
    Listed(LivestreamState.self), Listed(LivestreamVisibility.self), Listed(MediaKind.self), Listed(MediaSort.self),
    Listed(MediaState.self), Listed(MediaVisibility.self),
  ]

  private static let courses: [Listed] = [
    Listed(Assignment.Kind.self), Listed(Assignment.Resubmission.self), Listed(Assignment.State.self),
    Listed(Course.State.self), Listed(CourseMaterial.Kind.self), Listed(CourseRole.self),
    Listed(CourseTest.Solutions.self), Listed(Submission.State.self),
  ]

  private static let study: [Listed] = [
    Listed(AttemptGrade.self), Listed(AttemptStatus.self), Listed(CardSide.self), Listed(CardStage.self),
    Listed(IntensityLevel.self), Listed(LibraryOrder.self), Listed(LibraryReport.Reason.self),
    Listed(QuizDirection.self), Listed(QuizKind.self), Listed(SetOrder.self), Listed(SetRole.self),
    Listed(StudyFormat.self), Listed(StudyFunction.self), Listed(WorkoutStatus.self),
    Listed(name: "workoutType", values: WorkoutType.all.map(\.id)),
  ]
}
