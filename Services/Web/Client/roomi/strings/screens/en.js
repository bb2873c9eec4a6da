// @ts-check
import first from "../en.js";

export default {
  ...first,
  back: "Back",
  next: "Next",
  optional: "Optional",

  phone: "Phone number",
  fullName: "Full name",
  birthday: "Birthday",

  position: "Position",
  positionSet: "Position known to about 1 km",

  photosOf: "Photos of {name}",
  photoOf: "Photo {number} of {name}",
  photoCount: "{number} / {count}",
  photoPrevious: "Previous photo",
  photoNext: "Next photo",
  photo: "Photo",

  likesYou: "Like you",
  yourLikes: "Your likes",
  likedYou: "Liked you {when}",
  youLiked: "You liked them {when}",
  takeBack: "Take back",
  likeTakenBack: "You do not like {name} any more.",
  noLikesYou: "No open likes",
  noLikesYouHint: "Who likes you appears here. Like them too, and you can write to each other.",
  noYourLikes: "You have no open likes",
  noYourLikesHint: "Those whom you like appear here until they answer.",
  toDeck: "Discover people",

  matchTitle: "It’s a match!",
  matchText: "You and {name} like each other. Say hello!",
  keepLooking: "Keep looking",
  matchedWhen: "Matched {when}",
  noMatches: "No matches yet",
  noMatchesHint: "When you and someone else like each other, you can write to each other here.",
  profileGone: "This profile is not visible at the moment.",
  newMatches: "New matches",

  noMessagesHint: "Choose one of your matches and say hello.",
  viewProfile: "View profile",

  blockText: "Your match and conversation end. You will not see each other again. {name} is not notified.",
  unblockText: "You can be found by each other in other apps again. The match in Roomi does not come back.",

  edit: "Edit",
  yourPreferences: "How you want to live",
  notOnCard: "Not on your card",
  onlyMatches: "Matches see it",
  onlyAge: "Others see your age",
  onlyYou: "Only you see it",
  onlyDistance: "Others see a rough distance",

  appearance: "Appearance",
  account: "Account",
  accountHint: "Password, second factor, sessions and your data are in the account for all apps.",
  toAccount: "Open my account",
  deleteProfile: "Delete my Roomi profile",
  deleteProfileTitle: "Delete your Roomi profile?",
  deleteProfileText: "Your profile, likes and matches are deleted. Your account stays.",
  profileDeleted: "Your profile is deleted.",
};
