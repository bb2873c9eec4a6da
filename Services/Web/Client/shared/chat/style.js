// @ts-check
import { styleSheet } from "../style-sheet.js";

await styleSheet(new URL("../styles/chat.css", import.meta.url));
