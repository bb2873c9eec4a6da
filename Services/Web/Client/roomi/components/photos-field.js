// @ts-check
/** The photos of a profile: the card's picture first. Each is uploaded as soon as it is chosen. */
import { icon } from "../../shared/components/icon.js";
import { problemText } from "../../shared/components/states.js";
import { announce, toast } from "../../shared/components/toast.js";
import { isOn } from "../../shared/features.js";
import { percent } from "../../shared/language.js";
import { mediaReady, thumbnail } from "../../shared/media.js";
import { text } from "../../shared/text.js";
import { upload } from "../../shared/upload.js";
import { each, h, onCleanUp, state } from "../../shared/view.js";
import { p } from "../profile-strings.js";

/** @import { Field } from "../../shared/components/form.js" */
/** @import { RoommatePhotos } from "../../../Types/api.d.ts" */
/** @typedef {{ key: string, media?: string, part: number }} Photo `media` once it is ready */

const MOST = 9;

/**
 * @param {RoommatePhotos} [known]
 * @returns {Field}
 */
export function photosField(known) {
  const photos = state(
    /** @type {Photo[]} */ (
      known ? [known.card, ...known.others].map((media) => ({ key: media, media, part: 1 })) : []
    ),
  );
  const controller = new AbortController();
  onCleanUp(() => controller.abort());
  /** @param {string} key @param {Partial<Photo>} change */
  const change = (key, change) => photos.update((all) => all.map((it) => it.key === key ? { ...it, ...change } : it));
  /** @param {string} key */
  const remove = (key) => photos.update((all) => all.filter((it) => it.key !== key));

  /** @param {File} file */
  async function add(file) {
    const key = crypto.randomUUID();
    photos.update((all) => [...all, { key, part: 0 }]);
    const { signal } = controller;
    try {
      const media = await upload(file, { kind: "image", signal, onProgress: (part) => change(key, { part }) });
      await mediaReady(media, signal);
      change(key, { media });
      announce(text("uploaded"));
    } catch (error) {
      if (signal.aborted) return;
      remove(key);
      toast(problemText(error), { kind: "error" });
    }
  }

  const input = h("input.visually-hidden", {
    type: "file",
    accept: "image/*",
    multiple: true,
    "aria-label": p("photoAdd"),
    onchange: () => {
      [...input.files ?? []].slice(0, MOST - photos.get().length).forEach(add);
      input.value = "";
    },
  });

  /** @param {import("../../shared/view.js").State<Photo>} photo */
  const tile = (photo) => {
    const { key } = photo.get();
    const isCard = () => photos.get()[0]?.key === key;
    const number = () => photos.get().findIndex((it) => it.key === key) + 1;
    return h(
      "li.photo-tile",
      { class: () => isCard() ? "is-card" : "" },
      () => {
        const { media, part } = photo.get();
        return media
          ? h("img", { src: thumbnail(media, 640), alt: p("photoNumber", { number: number() }) })
          : h("span.photo-wait", { role: "status" }, part < 1 ? percent(part) : text("processing"));
      },
      () => isCard() && h("span.chip.is-accent.photo-mark", null, p("photoCard")),
      h(
        "div.photo-actions",
        null,
        () =>
          !isCard() && photo.get().media &&
          h("button.button.icon-only", {
            type: "button",
            "aria-label": p("photoMakeCard", { number: number() }),
            onclick: () =>
              photos.update((all) => [...all.filter((it) => it.key === key), ...all.filter((it) => it.key !== key)]),
          }, icon("star")),
        h("button.button.icon-only", {
          type: "button",
          "aria-label": () => p("photoRemove", { number: number() }),
          onclick: () => remove(key),
        }, icon("trash")),
      ),
    );
  };

  const element = h(
    "ul.photo-grid",
    { role: "list" },
    each(photos, (it) => it.key, tile),
    () =>
      photos.get().length < MOST && isOn("uploads") &&
      h("li", null, h("label.photo-add", null, input, icon("add"), h("span", null, p("photoAdd")))),
  );
  const isWaiting = () => photos.get().some((it) => !it.media);
  const read = () => {
    const [card, ...others] = photos.get().flatMap((it) => it.media ?? []);
    return card ? { card, others } : undefined;
  };
  return {
    name: "photos",
    label: p("photos"),
    hint: p("photosHint"),
    required: true,
    kind: "custom",
    element,
    read,
    check: () => isWaiting() ? p("photoWait") : "",
  };
}
