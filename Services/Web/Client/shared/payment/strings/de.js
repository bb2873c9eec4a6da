// @ts-check
/** @type {Record<keyof typeof import("./en.js").default, import("../../strings.js").Text>} */
export default {
  bankConfirmed: "Ich habe bestätigt",
  bankHint:
    "Die Zahlung von {amount} wird in der App oder auf der Seite der Bank bestätigt. Hier geht es dann von selbst weiter.",
  bankHintOpen:
    "Die Zahlung wird in der App oder auf der Seite der Bank bestätigt. Hier geht es dann von selbst weiter.",
  bankTitle: "Wartet auf die Bank",
  expires: "Gültig bis {date}",
  payment: "Zahlung",
};
