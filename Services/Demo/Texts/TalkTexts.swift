/// The messages that people write to each other. Two take turns, beginning with the first.
enum TalkTexts {
  static let roommates = [
    [
      "Hi! Your profile made me smile. Is the room still free?", "It is! From the first of the month.",
      "Wonderful. How far is it to the tram?", "Four minutes if you hurry, six if you carry groceries.",
      "I have a cat. She is quiet and thinks she owns everything.", "Mine thinks the same. They can negotiate.",
      "Saturday at eleven to have a look?", "Saturday at eleven. I will make coffee.",
    ],
    [
      "We seem to like the same level of clean :)", "A rare thing! What does your day look like?",
      "Early. I am usually asleep by half past ten.", "Same here. And guests?", "Now and then, never without asking.",
      "Then we should talk about the kitchen shelves.",
    ],
    [
      "Hello, are you still looking?", "Yes, until the end of the month.", "Do you play an instrument?",
      "Piano, with headphones.", "Then we will get along.",
    ],
  ]

  static let music = [
    [
      "That last beat is something else.", "Thank you! It started with the bells.",
      "Would you make a longer version for a verse?", "Sure, sixteen bars?", "Sixteen would be perfect.",
      "Give me until Thursday.",
    ],
    [
      "Hey, do you ever sell the stems?", "With the exclusive, yes.", "Let me think about the price then.",
      "Take your time. There is an auction soon, too.",
    ],
  ]

  static let reactions = ["👍", "😊", "🔥", "🎉", "❤️"]
}
