// @ts-check
import { Problem } from "../api.js";
import { failure } from "../components/states.js";

/** What is shown at an address that the app does not have. */
export default () => failure(new Problem({ status: 404, code: "not-found", title: "" }));
