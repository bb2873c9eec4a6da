// @ts-check
import { h } from "../../shared/view.js";

/** Text whose paragraphs are divided by empty lines. @param {string} text */
export const paragraphs = (text) => text.split(/\n\s*\n/).filter(Boolean).map((it) => h("p", null, it));
