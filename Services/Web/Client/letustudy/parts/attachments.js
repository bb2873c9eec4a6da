// @ts-check
import { h, state } from "../../shared/view.js";
import { icon } from "../../shared/components/icon.js";
import { picture } from "../../shared/components/picture.js";
import { problemText, spinner } from "../../shared/components/states.js";
import { toast } from "../../shared/components/toast.js";
import { upload } from "../../shared/upload.js";
import { study } from "../study.js";
import { t } from "../strings.js";

/** @import { Card } from "../study/model.js" */
/** @import { State } from "../../shared/signals.js" */

const MOST = 20;

/** The pictures of a card: shown, added, removed. @param {State<Card>} card */
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
      const media = await upload(file, { kind: "image" });
      const attachments = [...card.get().attachments, { media, side }];
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
      accept: "image/*",
      "aria-label": t(side === "front" ? "addPictureFront" : "addPictureBack"),
      onchange: () => add(input, side),
    });
    return h(
      "label.button.quiet.small",
      null,
      input,
      icon("image"),
      t(side === "front" ? "pictureFront" : "pictureBack"),
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
          picture(it.media, {
            alt: t("pictureOf", { text: it.side === "back" ? card.get().back : card.get().front }),
            sizes: "96px",
          }),
          h("button.button.icon-only.small", {
            type: "button",
            "aria-label": t("removePicture"),
            onclick: () =>
              store.put("cards", id, {
                attachments: card.get().attachments.filter((other) => other.media !== it.media),
              }),
          }, icon("close")),
        )
      ),
    () => isBusy.get() && h("span.row", { role: "status" }, spinner(), t("uploading")),
    () => !isBusy.get() && card.get().attachments.length < MOST && [adder("front"), adder("back")],
  );
}
