// @ts-check
import { call } from "../../shared/api.js";
import { confirmDialog } from "../../shared/components/dialog.js";
import { actionButton } from "../../shared/components/form.js";
import { icon } from "../../shared/components/icon.js";
import { avatar } from "../../shared/components/picture.js";
import { toast } from "../../shared/components/toast.js";
import { dateTime } from "../../shared/language.js";
import { follow, on } from "../../shared/realtime.js";
import { link } from "../../shared/router.js";
import { user } from "../../shared/session.js";
import { h, state } from "../../shared/view.js";
import { personLink } from "../people.js";
import { streamChip, streamTime } from "../components/streams.js";
import { t } from "../screen-strings.js";
import { loadWords, word } from "../words.js";

/** @import { Livestream } from "../../../Types/api.d.ts" */
/** @import { State } from "../../shared/signals.js" */

/** @param {import("../../shared/router.js").Visit} visit */
export async function load({ params, signal }) {
  const [stream] = await Promise.all([call("GET /v1/livestreams/{id}", { id: params.id }, { signal }), loadWords()]);
  return stream;
}

/** @param {Livestream} initial */
export default function streamScreen(initial) {
  const stream = state(initial);
  const { id, hostID, host } = initial;
  const isHost = hostID === user.get()?.id;
  follow(`user:${hostID}:streams`);
  on(
    ["livestream.*", "resync"],
    async () => stream.set(await call("GET /v1/livestreams/{id}", { id }).catch(() => stream.get())),
  );
  return h(
    "article.stack.narrow",
    null,
    h("p", null, h("a.back-link", { href: link("/explore/live") }, icon("back"), t("live"))),
    h(
      "div.card.stack.stream",
      null,
      () =>
        h(
          "div.row",
          null,
          streamChip(stream.get()),
          stream.get().workoutType &&
            h("span.chip", null, word("workoutType", /** @type {string} */ (stream.get().workoutType))),
          stream.get().tags.map((tag) => h("span.chip", null, `#${tag}`)),
        ),
      h("h1", null, initial.title),
      h(
        "div.person-row",
        null,
        avatar(host ?? { id: hostID }),
        h("div", null, personLink(hostID, host), h("p.soft.small-text", null, () => streamTime(stream.get()))),
      ),
      initial.description && h("p.description", null, initial.description),
      h("p.soft.small-text", null, t("startsAt", { time: dateTime(initial.startsAt) })),
      () => actions(stream, isHost),
    ),
  );
}

/** @param {State<Livestream>} stream @param {boolean} isHost */
function actions(stream, isHost) {
  const { id, state: phase, joinURL, title } = stream.get();
  if (phase === "ended") return h("p.notice", null, t("streamOver"));
  if (phase === "failed") return h("p.notice", { role: "alert" }, t("streamFailedHint"));
  if (phase === "creating") return h("p.notice", { role: "status" }, t("streamCreatingHint"));
  const end = async () => {
    if (
      !await confirmDialog({ title: t("endStreamQuestion", { title }), confirm: t("endStream"), isDangerous: true })
    ) return;
    stream.set(await call("POST /v1/livestreams/{id}/end", { id }));
    toast(t("streamOver"), { kind: "success" });
  };
  const start = async () => {
    const { startURL } = await call("POST /v1/livestreams/{id}/start", { id });
    stream.set(await call("GET /v1/livestreams/{id}", { id }));
    open(startURL, "_blank", "noopener");
  };
  const join = joinURL &&
    h(
      "a.button",
      { class: isHost ? "" : "primary", href: joinURL, target: "_blank", rel: "noopener" },
      icon("external"),
      t("join"),
    );
  if (!isHost) return h("div.row", null, join);
  return h(
    "div.row",
    null,
    phase === "scheduled" && actionButton({ label: t("startStream"), icon: "play", class: "primary", run: start }),
    join,
    actionButton({ label: t("endStream"), icon: "close", class: "dangerous", run: end }),
  );
}
