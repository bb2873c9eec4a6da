// @ts-check
/** Which services answer, as the gateway says. */
import { Problem, send } from "../../shared/api.js";
import { icon } from "../../shared/components/icon.js";
import { h } from "../../shared/view.js";
import { t } from "../strings.js";

/** @typedef {{ isAvailable: boolean, services: { name: string, isAvailable: boolean }[] }} PlatformStatus */

/** It is outside of `/v1`, as whoever watches the platform reads it. @returns {Promise<PlatformStatus>} */
export async function loadStatus() {
  const response = await send("/status", { headers: { Accept: "application/json" } });
  if (!response.ok && response.status !== 503) throw await Problem.of(response);
  return response.json();
}

/** @param {PlatformStatus} status */
export const serviceList = ({ services }) =>
  h(
    "ul.services",
    { role: "list", "aria-label": t("services") },
    services.map(({ name, isAvailable }) =>
      h(
        "li.service",
        { class: !isAvailable && "is-away" },
        icon(isAvailable ? "check" : "error"),
        h("span.grow", null, name),
        h("span.visually-hidden", null, t(isAvailable ? "answers" : "answersNot")),
      )
    ),
  );
