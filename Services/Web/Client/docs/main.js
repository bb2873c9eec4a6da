// @ts-check
/** The script of the API's pages, which are complete without it: it adds the search and the try-outs. */

import { addSearch } from "./search.js";
import { addTryOuts } from "./try.js";

addSearch();
addTryOuts();
