// @ts-check
export default {
  bankConfirmed: "I have confirmed",
  bankHint: "Open your bank's app or its page, and confirm the payment of {amount}. This page goes on by itself.",
  bankHintOpen: "Open your bank's app or its page, and confirm the payment. This page goes on by itself.",
  bankTitle: "Waiting for your bank",
  expires: "Expires {date}",
  payment: "Payment",
};
