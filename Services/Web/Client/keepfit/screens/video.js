// @ts-check
import { call, pages } from "../../shared/api.js";
import { confirmDialog, openDialog } from "../../shared/components/dialog.js";
import { actionButton, form } from "../../shared/components/form.js";
import { icon } from "../../shared/components/icon.js";
import { menu } from "../../shared/components/menu.js";
import { avatar } from "../../shared/components/picture.js";
import { videoPlayer } from "../../shared/components/player.js";
import { spinner } from "../../shared/components/states.js";
import { toast } from "../../shared/components/toast.js";
import { date, percent } from "../../shared/language.js";
import { follow, on } from "../../shared/realtime.js";
import { go, link } from "../../shared/router.js";
import { user } from "../../shared/session.js";
import { text } from "../../shared/text.js";
import { h, state } from "../../shared/view.js";
import { attempt } from "../../shared/components/attempt.js";
import { findPerson, personLink } from "../people.js";
import { followButton, relationsTo } from "../components/relationships.js";
import { t } from "../screen-strings.js";
import { videoDetails, videoFields } from "../components/video-details.js";
import { videoCard } from "../components/videos.js";
import { loadWords, word } from "../words.js";

/** @import { Media } from "../../../Types/api.d.ts" */
/** @import { Visit } from "../../shared/router.js" */
/** @import { State } from "../../shared/signals.js" */

/** @param {Visit} visit */
export async function load({ params, signal }) {
  const video = await call("GET /v1/media/{id}", { id: params.id }, { signal });
  const [person, relations, others] = await Promise.all([
    findPerson(video.owner),
    relationsTo([video.owner], signal),
    call("GET /v1/media", { kind: "video", owner: video.owner, limit: 5 }, { signal }),
    loadWords(),
  ]);
  return { video, person, relation: relations.get(video.owner), others: others.items };
}

/**
 * The API only lists what is saved, which can be many pages.
 * @param {string} id
 * @param {AbortSignal} signal
 */
async function hasSaved(id, signal) {
  for await (const page of pages("GET /v1/media/saved", { limit: 100 }, { signal })) {
    if (page.some((it) => it.id === id)) return true;
  }
  return false;
}

/** @param {Awaited<ReturnType<typeof load>>} data @param {Visit} visit */
export default function videoScreen({ video: initial, person, relation, others }, { signal }) {
  const video = state(initial);
  const isMine = initial.owner === user.get()?.id;
  const more = others.filter((it) => it.id !== initial.id && it.state === "ready").slice(0, 4);
  return h(
    "div.columns",
    null,
    h(
      "article.stack",
      null,
      () => stage(video),
      h("h1", null, () => video.get().title ?? t("untitled")),
      h(
        "div.spread",
        null,
        h(
          "div.person-row",
          null,
          avatar(person ?? { id: initial.owner }),
          h(
            "div",
            null,
            personLink(initial.owner, person ?? undefined),
            h("p.soft.small-text", null, date(initial.createdAt)),
          ),
          relation && person && followButton(state(relation), person.displayName),
        ),
        h("div.row", null, saveButton(initial.id, signal), isMine && ownerMenu(video)),
      ),
      () => {
        const { tags, workoutType, visibility } = video.get();
        return h(
          "p.row",
          null,
          workoutType &&
            h(
              "a.chip.is-accent",
              { href: link("/explore/videos", { type: workoutType }) },
              word("workoutType", workoutType),
            ),
          visibility === "owner" && h("span.chip.is-warning", null, icon("lock"), t("onlyYou")),
          tags.map((tag) => h("a.chip", { href: link("/explore/videos", { tag }) }, `#${tag}`)),
        );
      },
      () => video.get().description && h("p.prose.description", null, video.get().description),
      () =>
        h(
          "a.button.primary.start-button",
          {
            href: link("/workouts/timer", { type: video.get().workoutType ?? "home-exercise" }),
          },
          icon("clock"),
          t("workAlong"),
        ),
    ),
    more.length > 0 && h(
      "aside.stack",
      null,
      h("h2", null, t("moreBy", { name: person?.displayName ?? t("someone") })),
      more.map((it) => videoCard(it, { hasOwner: false })),
      h("p", null, h("a", { href: link("/explore/videos", { owner: initial.owner }) }, t("seeAll"))),
    ),
  );
}

/** The player, or why there is none yet. @param {State<Media>} video */
function stage(video) {
  const { id, state: phase, link: source, title, failure } = video.get();
  if (phase === "ready" && !source) return videoPlayer({ media: id, title: title ?? t("untitled") });
  if (source) {
    return h(
      "div.video-stage",
      null,
      icon("video"),
      h("p", null, t("onYouTube")),
      h(
        "a.button.primary",
        { href: source.url, target: "_blank", rel: "noopener" },
        t("watchOnYouTube"),
        icon("external"),
      ),
    );
  }
  if (phase === "failed") {
    return h(
      "div.video-stage",
      { role: "alert" },
      icon("error"),
      h("p", null, t(failure === "tooLarge" ? "videoTooLarge" : "videoUnreadable")),
    );
  }
  const part = state(0);
  const refresh = async () => video.set(await call("GET /v1/media/{id}", { id }));
  follow(`media:${id}`);
  on(["media.changed", "resync"], (data) => {
    if (data?.media && data.media !== id) return;
    if (data?.percent) part.set(data.percent / 100);
    if (data?.state !== "processing") refresh().catch(() => {});
  });
  return h(
    "div.video-stage",
    { role: "status" },
    spinner(),
    h(
      "p",
      null,
      () => part.get() > 0 ? t("videoPreparingPart", { percent: percent(part.get()) }) : t("videoPreparing"),
    ),
    h("p.small-text", null, t("videoPreparingHint")),
  );
}

/** Appears when it is known what it does. @param {string} id @param {AbortSignal} signal */
function saveButton(id, signal) {
  const isSaved = state(/** @type {boolean | null} */ (null));
  hasSaved(id, signal).then((it) => isSaved.set(it), () => {});
  return actionButton({
    label: () => t(isSaved.get() ? "saved" : "saveVideo"),
    icon: () => isSaved.get() ? "check" : "archive",
    class: () => isSaved.get() ? "soft-accent" : "",
    props: { hidden: () => isSaved.get() === null },
    run: async () => {
      await call(`${isSaved.get() ? "DELETE" : "PUT"} /v1/media/{id}/save`, { id });
      isSaved.update((it) => !it);
    },
  });
}

/** @param {State<Media>} video */
const ownerMenu = (video) =>
  menu({
    label: t("videoActions"),
    items: () => [
      { label: t("edit"), icon: "edit", run: () => edit(video) },
      { label: text("delete"), icon: "trash", isDangerous: true, run: () => attempt(() => remove(video.get())) },
    ],
  });

/** @param {State<Media>} video */
const edit = (video) =>
  openDialog({
    title: t("editVideo"),
    build: (close) =>
      form({
        fields: videoFields(video.get()),
        submit: text("save"),
        oncancel: () => close(),
        onsubmit: async (values) => {
          const { id, version } = video.get();
          video.set(await call("PATCH /v1/media/{id}", { id, body: videoDetails(values) }, { version }));
          close();
          toast(t("savedChanges"), { kind: "success" });
        },
      }),
  });

/** @param {Media} video */
async function remove({ id, title }) {
  const isSure = await confirmDialog({
    title: t("deleteVideoQuestion", { title: title ?? t("untitled") }),
    confirm: text("delete"),
    isDangerous: true,
  });
  if (!isSure) return;
  const { version } = await call("GET /v1/media/{id}", { id });
  await call("DELETE /v1/media/{id}", { id }, { version });
  toast(t("videoDeleted"), { kind: "success" });
  await go("/profile?tab=videos", { replace: true });
}
