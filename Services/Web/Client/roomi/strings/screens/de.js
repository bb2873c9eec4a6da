// @ts-check
import first from "../de.js";

export default {
  ...first,
  back: "Zurück",
  next: "Weiter",
  optional: "Freiwillig",

  phone: "Telefonnummer",
  fullName: "Voller Name",
  birthday: "Geburtstag",

  position: "Standort",
  positionSet: "Standort auf etwa 1 km bekannt",

  photosOf: "Fotos von {name}",
  photoOf: "Foto {number} von {name}",
  photoCount: "{number} / {count}",
  photoPrevious: "Voriges Foto",
  photoNext: "Nächstes Foto",
  photo: "Foto",

  likesYou: "Mögen dich",
  yourLikes: "Deine Likes",
  likedYou: "Mag dich seit: {when}",
  youLiked: "Like von dir: {when}",
  takeBack: "Zurücknehmen",
  likeTakenBack: "Dein Like für {name} ist zurückgenommen.",
  noLikesYou: "Keine offenen Likes",
  noLikesYouHint: "Wer dich mag, erscheint hier. Magst du zurück, könnt ihr euch schreiben.",
  noYourLikes: "Du hast keine offenen Likes",
  noYourLikesHint: "Wen du magst, siehst du hier, bis eine Antwort kommt.",
  toDeck: "Leute entdecken",

  matchTitle: "Es passt!",
  matchText: "{name} und du mögt euch. Sag Hallo!",
  keepLooking: "Weitersuchen",
  matchedWhen: "Match: {when}",
  noMatches: "Noch keine Matches",
  noMatchesHint: "Wenn ihr euch beide mögt, könnt ihr euch hier schreiben.",
  profileGone: "Dieses Profil ist gerade nicht zu sehen.",
  newMatches: "Neue Matches",

  noMessagesHint: "Wähle eines deiner Matches und sag Hallo.",
  viewProfile: "Profil ansehen",

  blockText: "Euer Match und eure Unterhaltung enden. Ihr seht einander nicht wieder. {name} erfährt davon nichts.",
  unblockText: "In anderen Apps könnt ihr euch wieder finden. Das Match in Roomi kommt nicht zurück.",

  edit: "Bearbeiten",
  yourPreferences: "So willst du wohnen",
  notOnCard: "Nicht auf deiner Karte",
  onlyMatches: "Matches sehen ihn",
  onlyAge: "Andere sehen dein Alter",
  onlyYou: "Nur du siehst sie",
  onlyDistance: "Andere sehen eine ungefähre Entfernung",

  appearance: "Darstellung",
  account: "Konto",
  accountHint: "Passwort, zweiter Faktor, Sitzungen und deine Daten sind im Konto für alle Apps.",
  toAccount: "Mein Konto öffnen",
  deleteProfile: "Mein Roomi-Profil löschen",
  deleteProfileTitle: "Dein Roomi-Profil löschen?",
  deleteProfileText: "Profil, Likes und Matches werden gelöscht. Dein Konto bleibt.",
  profileDeleted: "Dein Profil ist gelöscht.",
};
