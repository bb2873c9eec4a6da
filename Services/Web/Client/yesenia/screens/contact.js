// @ts-check
import { call } from "../../shared/api.js";
import { form } from "../../shared/components/form.js";
import { icon } from "../../shared/components/icon.js";
import { empty } from "../../shared/components/states.js";
import { hasAccount, user } from "../../shared/session.js";
import { h, state } from "../../shared/view.js";
import { loadSite } from "../site.js";
import { t } from "../strings.js";

/** @import { Site } from "../../../Types/api.d.ts" */

export const load = () => loadSite();

/** @param {Site} site */
export default function contactScreen({ email, socialLinks }) {
  const isSent = state(false);
  const person = hasAccount() ? user.get() : null;
  const [first, ...others] = person?.displayName.split(" ") ?? [];
  const { firstName = first, lastName = others.join(" ") } = person?.details ?? {};
  const send = async (/** @type {any} */ body, /** @type {{ key: string }} */ { key }) => {
    await call("POST /v1/contact-messages", { body }, { key });
    isSent.set(true);
  };
  const letter = () =>
    form({
      fields: [
        {
          name: "firstName",
          label: t("firstName"),
          value: firstName,
          required: true,
          props: { autocomplete: "given-name" },
        },
        {
          name: "lastName",
          label: t("lastName"),
          value: lastName,
          required: true,
          props: { autocomplete: "family-name" },
        },
        {
          name: "email",
          label: t("email"),
          kind: "email",
          value: person?.email,
          required: true,
          props: { autocomplete: "email" },
        },
        { name: "subject", label: t("subject"), required: true, props: { maxlength: 200 } },
        {
          name: "message",
          label: t("message"),
          kind: "textarea",
          required: true,
          props: { maxlength: 10000, rows: 6 },
        },
      ],
      submit: t("sendMessage"),
      onsubmit: send,
    });
  const thanks = () =>
    h(
      "div",
      { role: "status" },
      empty({
        icon: "check",
        title: t("messageSent"),
        message: t("messageSentHint"),
        action: h("button.button", { type: "button", onclick: () => isSent.set(false) }, t("anotherMessage")),
      }),
    );
  return h(
    "div.stack",
    null,
    h("header.page-header", null, h("div", null, h("h1", null, t("contact")), h("p.soft", null, t("contactIntro")))),
    h(
      "div.columns",
      null,
      h("section.card", null, () => isSent.get() ? thanks() : letter()),
      (email || socialLinks.length > 0) && h(
        "aside.stack",
        null,
        h("h2", null, t("otherWays")),
        h(
          "ul.ways",
          { role: "list" },
          email && h("li", null, h("a.button.quiet", { href: `mailto:${email}` }, icon("mail"), email)),
          socialLinks.map((it) =>
            h(
              "li",
              null,
              h(
                "a.button.quiet",
                { href: it.link, target: "_blank", rel: "noopener" },
                icon("link"),
                it.name,
                icon("external"),
              ),
            )
          ),
        ),
      ),
    ),
  );
}
