// @ts-check
import { h } from "../view.js";
import { icon } from "./icon.js";
import { toast } from "./toast.js";

/**
 * A button that shares something public: the address of the page from which other apps take what they show of a link.
 * It is copied where the device has nothing to share with.
 * @param {{ kind: "listing" | "post" | "set", id: string, title: string, label: string, copied: string, class?: string }} options
 *   - `copied`: says that the address was copied
 */
export function shareButton({ kind, id, title, label, copied, class: look = "" }) {
  const url = `${location.origin}/s/${kind}/${id}`;
  const share = async () => {
    if (navigator.share) return navigator.share({ title, url }).catch(() => {});
    await navigator.clipboard.writeText(url);
    toast(copied, { kind: "success" });
  };
  return h("button.button", { type: "button", class: look, onclick: share }, icon("share"), label);
}
