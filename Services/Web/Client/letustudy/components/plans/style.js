// @ts-check
import { styleSheet } from "../../../shared/style-sheet.js";

await styleSheet(new URL("./style.css", import.meta.url));
