// @ts-check
import { call } from "../../shared/api.js";
import { form } from "../../shared/components/form.js";
import { icon } from "../../shared/components/icon.js";
import { toast } from "../../shared/components/toast.js";
import { go, link } from "../../shared/router.js";
import { h } from "../../shared/view.js";
import { t } from "../screen-strings.js";
import { splitTags } from "../components/video-details.js";
import { choices, loadWords } from "../words.js";

/** @import { LivestreamProviders } from "../../../Types/api.d.ts" */

/** @param {import("../../shared/router.js").Visit} visit */
export async function load({ signal }) {
  const [providers] = await Promise.all([call("GET /v1/livestreams/providers", {}, { signal }), loadWords()]);
  return providers;
}

/** @param {LivestreamProviders} _ */
export default function newStreamScreen({ providers }) {
  const hasZoom = providers.includes("zoom");
  /** @param {any} values @param {{ key: string }} attempt */
  async function create({ tags, startsAt, workoutType, ...others }, { key }) {
    const body = {
      ...others,
      minutes: Number(others.minutes),
      tags: splitTags(tags),
      workoutType: workoutType || undefined,
      startsAt: startsAt && new Date(startsAt).toISOString(),
    };
    const stream = await call("POST /v1/livestreams", { body }, { key });
    toast(t("streamCreated"), { kind: "success" });
    await go(`/explore/live/${stream.id}`, { replace: true });
  }
  return h(
    "div.stack.narrow",
    null,
    h("p", null, h("a.back-link", { href: link("/create") }, icon("back"), t("create"))),
    h("h1", null, t("goLive")),
    h("p.soft", null, t("goLiveHint")),
    h(
      "div.card",
      null,
      form({
        fields: [
          { name: "title", label: t("title"), required: true, props: { maxlength: 120 } },
          { name: "description", label: t("description"), kind: "textarea", props: { maxlength: 2000 } },
          {
            name: "workoutType",
            label: t("workoutType"),
            kind: "select",
            options: [{ value: "", label: t("noType") }, ...choices("workoutType")],
          },
          { name: "startsAt", label: t("starts"), kind: "datetime-local", hint: t("startsHint") },
          {
            name: "minutes",
            label: t("length"),
            kind: "select",
            value: "60",
            options: [15, 30, 45, 60, 90, 120].map((count) => ({
              value: String(count),
              label: t("minutes", { count }),
            })),
          },
          {
            name: "joinURL",
            label: t("meetingLink"),
            kind: "url",
            required: !hasZoom,
            hint: t(hasZoom ? "meetingLinkZoom" : "meetingLinkHint"),
            props: { placeholder: "https://", inputmode: "url" },
          },
          { name: "tags", label: t("tags"), hint: t("tagsHint"), props: { autocapitalize: "none" } },
          {
            name: "visibility",
            label: t("whoSees"),
            kind: "select",
            options: [{ value: "everyone", label: t("everyone") }, { value: "connections", label: t("connections") }],
          },
        ],
        submit: t("createStream"),
        onsubmit: create,
      }),
    ),
  );
}
