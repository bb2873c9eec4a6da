// @ts-check
import { call } from "../../shared/api.js";
import { actionButton } from "../../shared/components/form.js";
import { empty } from "../../shared/components/states.js";
import { go } from "../../shared/router.js";
import { h } from "../../shared/view.js";
import { study } from "../study.js";
import { t } from "../screen-strings.js";

/** Joins a set by a link. @param {unknown} _data @param {import("../../shared/router.js").Visit} visit */
export default function joinScreen(_data, { query }) {
  const token = query.get("token") ?? "";
  const join = async () => {
    const set = await call("POST /v1/study-sets/shares/accept", { body: { token } });
    await study().sync.run();
    await go(`/sets/${set.id}`, { replace: true });
  };
  return h(
    "div.stack.prose",
    null,
    h("h1", null, t("joinSet")),
    empty({
      icon: "people",
      title: t("joinTitle"),
      message: t("joinMessage"),
      action: actionButton({ label: t("joinSet"), run: join, class: "primary" }),
    }),
  );
}
