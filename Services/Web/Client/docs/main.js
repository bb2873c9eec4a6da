// @ts-check
/** The script of the API's pages, which are complete without it: it adds the search, the try-outs and buttons to copy. */

import { addCopyButtons } from "./copy.js";
import { addSearch } from "./search.js";
import { addTryOuts } from "./try.js";

addSearch();
addTryOuts();
addCopyButtons();
