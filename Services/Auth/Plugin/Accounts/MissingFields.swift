import Contracts

extension ClientApp {
  /// Profile fields that the app asks every user for at the first sign-in.
  private var wantedFields: [ProfileField] {
    switch self {
    case .keepfit: [.gender, .weight, .height, .birthday, .fitnessLevel]
    case .roomi: [.phone, .firstName, .lastName, .birthday, .gender, .school, .bio]
    case .archived, .yesenia, .letustudy, .web: []
    }
  }

  /// The requested fields that a user has not filled in yet.
  func missingFields(of details: ProfileDetails) -> [ProfileField] {
    wantedFields.filter { field in
      switch field {
      case .gender: details.gender == nil
      case .weight: details.weightGrams == nil
      case .height: details.heightMillimetres == nil
      case .birthday: details.birthday == nil
      case .fitnessLevel: details.fitnessLevel == nil
      case .phone: details.phone == nil
      case .firstName: details.firstName == nil
      case .lastName: details.lastName == nil
      case .school: details.school == nil
      case .bio: details.bio == nil
      case .photo: details.photo == nil
      case .userGroup: details.userGroup == nil
      case .email: false
      }
    }
  }
}
