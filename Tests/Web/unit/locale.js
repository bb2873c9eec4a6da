// @ts-check
/** Tests expect American English, wherever they run. */
Object.defineProperty(navigator, "languages", { value: ["en-US", "en"] });
