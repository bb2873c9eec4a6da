// @ts-check
import { styleSheet } from "../style-sheet.js";

await styleSheet(new URL("../styles/payment.css", import.meta.url));
