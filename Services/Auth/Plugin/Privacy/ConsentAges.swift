import Contracts

/// Ages of digital consent: from which age users consent themselves to the processing of their data by an online service.
///
/// The member states of the European Union may lower the 16 years of Art. 8(1) GDPR to 13. The ages are those of the
/// national acts: Austria § 4(4) DSG; Belgium Art. 7 of the act of 30 July 2018; Bulgaria Art. 25c of the Personal Data
/// Protection Act; Croatia Art. 19 of the GDPR implementation act; Cyprus Sec. 8 of Law 125(I)/2018; Czechia § 7 of Act
/// 110/2019; Denmark § 6(2) Databeskyttelsesloven, 15 since 1 January 2024; Estonia § 8 of the Personal Data Protection Act; Finland § 5
/// Tietosuojalaki; France Art. 45 Loi 78-17; Germany, Ireland (Sec. 31 Data Protection Act 2018), Luxembourg, the
/// Netherlands (Art. 5 UAVG), Poland, Romania and Slovakia (§ 15 of Act 18/2018): no lower age, 16; Greece Art. 21 Law
/// 4624/2019; Hungary: 16; Italy Art. 2-quinquies D.Lgs. 196/2003; Latvia Sec. 33 of the Personal Data Processing Law;
/// Lithuania Art. 6 of the Law on Legal Protection of Personal Data; Malta S.L. 586.11; Portugal Art. 16 Lei 58/2019;
/// Slovenia Art. 8 ZVOP-2; Spain Art. 7 LO 3/2018; Sweden 2 kap. 4 § of Lag 2018:218. Iceland Art. 10 of Act 90/2018;
/// Norway § 5 Personopplysningsloven; Liechtenstein: 16. United Kingdom Sec. 9 Data Protection Act 2018. United States:
/// 15 U.S.C. § 6501 (COPPA), "under the age of 13".
///
/// Operators check the table for the countries that they serve: acts change.
enum ConsentAges {
  private static let thirteen = ["BE", "EE", "FI", "GB", "IS", "LV", "MT", "NO", "PT", "SE", "US"]
  private static let fourteen = ["AT", "BG", "CY", "ES", "IT", "LT"]
  private static let fifteen = ["CZ", "DK", "FR", "GR", "SI"]
  private static let sixteen = ["DE", "HR", "HU", "IE", "LI", "LU", "NL", "PL", "RO", "SK"]

  /// For countries that are not in the table, and for users who have not named theirs.
  static let highest = 16

  static let table: [String: Int] = {
    var ages: [String: Int] = [:]
    for (age, countries) in [(13, thirteen), (14, fourteen), (15, fifteen), (16, sixteen)] {
      for country in countries { ages[country] = age }
    }
    return ages
  }()

  static func age(in country: CountryCode?) -> Int { country.flatMap { table[$0.rawValue] } ?? highest }
}
