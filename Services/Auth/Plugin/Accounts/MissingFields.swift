import Contracts

/// The fields that each app asks every user for at the first sign-in, in the order in which it asks.
enum WantedFields {
  static let byApp: [ClientApp: [ProfileField]] = [
    .archived: [.email, .photo],
    .keepfit: [.gender, .weight, .height, .birthday, .fitnessLevel],
    .roomi: [.phone, .firstName, .lastName, .birthday, .gender, .school, .bio],
    // Receipts and forgotten passwords need an address; the sign-up does not.
    .yesenia: [.email],
    .letustudy: [],
    .account: [],
    .web: [],
  ]
}

extension ClientApp {
  /// The requested fields that a user has not filled in yet.
  func missingFields(of account: Account) -> [ProfileField] {
    let details = account.details
    return (WantedFields.byApp[self] ?? []).filter { field in
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
      case .email: account.email == nil
      }
    }
  }
}
