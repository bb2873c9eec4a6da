// @ts-check
import { h, state } from "../../shared/view.js";
import { icon } from "../../shared/components/icon.js";
import { picture } from "../../shared/components/picture.js";
import { problemText, spinner } from "../../shared/components/states.js";
import { toast } from "../../shared/components/toast.js";
import { isOn } from "../../shared/features.js";
import { content, mediaReady } from "../../shared/media.js";
import { upload } from "../../shared/upload.js";
import { study } from "../study.js";
import { t } from "../screen-strings.js";

/** @import { Card } from "../study/model.js" */
/** @import { State } from "../../shared/signals.js" */

const MOST = 20;
const LONGEST = 60;

/** Names are as long as tags at most; the end says what kind of file it is. @param {string} name */
const shortName = (name) => name.length <= LONGEST ? name : name.slice(0, LONGEST - 10) + name.slice(-10);

/**
 * Whether an attachment is shown; others are opened. Pictures need no name.
 * @param {Card["attachments"][number]} attachment
 */
export const isPicture = ({ name }) => !name || /\.(png|jpe?g|webp|gif|avif|heic)$/i.test(name);

/** The pictures and other files of a card: shown, added, removed. @param {State<Card>} card */
export function attachmentEditor(card) {
  const { store } = study();
  const isBusy = state(false);
  const { id } = card.get();

  /** @param {HTMLInputElement} input @param {"front" | "back"} side */
  async function add(input, side) {
    const file = input.files?.[0];
    input.value = "";
    if (!file) return;
    isBusy.set(true);
    try {
      const media = await upload(file);
      const { kind } = await mediaReady(media);
      const name = kind === "image" ? undefined : shortName(file.name);
      const attachments = [...card.get().attachments, { media, side, ...(name && { name }) }];
      await store.put("cards", id, { attachments });
    } catch (error) {
      toast(problemText(error), { kind: "error" });
    } finally {
      isBusy.set(false);
    }
  }

  /** @param {"front" | "back"} side */
  const adder = (side) => {
    const input = h("input.visually-hidden", {
      type: "file",
      "aria-label": t(side === "front" ? "addFileFront" : "addFileBack"),
      onchange: () => add(input, side),
    });
    return h(
      "label.button.quiet.small",
      null,
      input,
      icon("upload"),
      t(side === "front" ? "fileFront" : "fileBack"),
    );
  };
  return h(
    "div.attachments",
    null,
    () =>
      card.get().attachments.map((it) =>
        h(
          "span.attachment",
          null,
          isPicture(it)
            ? picture(it.media, {
              alt: t("pictureOf", { text: it.side === "back" ? card.get().back : card.get().front }),
              sizes: "96px",
            })
            : h("a.attachment-name", { href: content(it.media), target: "_blank", rel: "noopener" }, it.name),
          h("button.button.icon-only.small", {
            type: "button",
            "aria-label": it.name ? t("removeFile", { name: it.name }) : t("removePicture"),
            onclick: () =>
              store.put("cards", id, {
                attachments: card.get().attachments.filter((other) => other.media !== it.media),
              }),
          }, icon("close")),
        )
      ),
    () => isBusy.get() && h("span.row", { role: "status" }, spinner(), t("uploading")),
    () => !isBusy.get() && card.get().attachments.length < MOST && isOn("uploads") && [adder("front"), adder("back")],
  );
}
