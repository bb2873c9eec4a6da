/// The function of the app on which time is spent.
public enum StudyFunction: String, WireEnum {
  /// Turning cards over.
  case cards
  /// Answering due cards.
  case review
  case quiz
  /// Reading the materials of a course.
  case course
}
