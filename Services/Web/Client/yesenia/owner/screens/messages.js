// @ts-check
import { pages } from "../../../shared/api.js";
import { listView, paged } from "../../../shared/components/list.js";
import { avatar } from "../../../shared/components/picture.js";
import { tabs } from "../../../shared/components/tabs.js";
import { relative } from "../../../shared/language.js";
import { link } from "../../../shared/router.js";
import { h } from "../../../shared/view.js";
import { t } from "../strings.js";

/** @import { ContactMessage } from "../../../../Types/api.d.ts" */

const STATES = /** @type {const} */ (["open", "answered", "closed"]);

/** What was written in the contact form. */
export default function messagesScreen() {
  /** @param {typeof STATES[number]} state */
  const list = (state) => {
    const letters = paged((signal) => pages("GET /v1/contact-messages", { state, limit: 20 }, { signal }));
    return listView(letters, {
      key: (it) => it.id,
      render: (letter) => h("a", { href: link(`/letters/${letter.get().id}`) }, () => row(letter.get())),
      label: t(state),
      empty: { icon: "inbox", title: t("noLetters"), message: t("noLettersHint") },
    });
  };
  return h(
    "div.stack",
    null,
    h("h1", null, t("letters")),
    tabs({ label: t("letters"), tabs: STATES.map((id) => ({ id, label: t(id), content: () => list(id) })) }),
  );
}

/** @param {ContactMessage} letter */
const row = ({ firstName, lastName, subject, message, receivedAt }) => [
  avatar({ displayName: `${firstName} ${lastName}` }, { size: "small" }),
  h(
    "span.grow.row-text",
    null,
    h("strong", null, subject),
    h("span.soft.small-text.truncate", null, `${firstName} ${lastName} – ${message}`),
  ),
  h("span.soft.small-text", null, relative(receivedAt)),
];
