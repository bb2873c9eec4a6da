// @ts-check
import { call } from "../../shared/api.js";
import { addressIn } from "../../shared/app.js";
import { blockedPeople } from "../../shared/chat/blocks.js";
import { privacySettings } from "../../shared/chat/privacy.js";
import { t as chat } from "../../shared/chat/strings.js";
import { appearanceControls } from "../../shared/components/appearance.js";
import { form } from "../../shared/components/form.js";
import { icon } from "../../shared/components/icon.js";
import { toast } from "../../shared/components/toast.js";
import { user } from "../../shared/session.js";
import { text } from "../../shared/text.js";
import { h } from "../../shared/view.js";
import { paymentMethods } from "../components/payment-methods.js";
import { t } from "../screen-strings.js";

/** @import { Account, ConversationSettings, PaymentSettings, VersionedSettings } from "../../../Types/api.d.ts" */
/** @typedef {{ account: Account, settings: VersionedSettings, talks: ConversationSettings, billing: PaymentSettings }} Loaded */

/** Those that this app sends. */
const NOTIFICATIONS = /** @type {const} */ ([
  "auctions",
  "auctionEnding",
  "messages",
  "connections",
  "payments",
  "security",
]);
const VISIBLE = /** @type {const} */ (["email", "bio", "photo"]);

/** @param {import("../../shared/router.js").Visit} visit @returns {Promise<Loaded>} */
export async function load({ signal }) {
  const [account, settings, talks, billing] = await Promise.all([
    call("GET /v1/users/me", {}, { signal }),
    call("GET /v1/users/me/settings", {}, { signal }),
    call("GET /v1/conversations/settings", {}, { signal }),
    call("GET /v1/payment-settings", {}, { signal }),
  ]);
  return { account, settings, talks, billing };
}

/** @param {Loaded} loaded */
export default function settingsScreen({ account, settings, talks, billing }) {
  return h(
    "div.stack.prose",
    null,
    h("h1", null, t("settings")),
    section("appearance", t("appearance"), appearanceControls()),
    section("notifications", t("notifications"), notifications(settings)),
    section("privacy", t("privacy"), visibility(account)),
    privacySettings(talks),
    section("payment", t("payment"), paymentMethods(), contact(billing)),
    section("blocked", chat("blockedPeople"), blockedPeople({ unblockMessage: t("unblockHint") })),
    section(
      "account",
      t("account"),
      h("p.soft", null, t("accountHint", { email: account.email ?? "–" })),
      h(
        "p",
        null,
        h(
          "a.button",
          { href: addressIn("account", "/security"), target: "_blank", rel: "noopener" },
          icon("shield"),
          t("security"),
        ),
      ),
    ),
  );
}

/**
 * @param {string} id
 * @param {string} title
 * @param {...Node} content
 */
const section = (id, title, ...content) =>
  h("section.card.stack", { "aria-labelledby": id }, h("h2", { id }, title), ...content);

const saved = () => toast(t("saved"), { kind: "success" });

/** @param {VersionedSettings} loaded */
function notifications(loaded) {
  let current = loaded;
  const muted = new Set(loaded.mutedNotifications ?? []);
  return form({
    fields: NOTIFICATIONS.map((it) => ({
      name: it,
      label: t(`notify_${it}`),
      kind: "checkbox",
      value: !muted.has(it),
    })),
    submit: text("save"),
    onsubmit: async (chosen) => {
      const others = (current.mutedNotifications ?? []).filter((it) => !NOTIFICATIONS.some((known) => known === it));
      const { version, ...rest } = current;
      const body = { ...rest, mutedNotifications: [...others, ...NOTIFICATIONS.filter((it) => !chosen[it])] };
      current = await call("PUT /v1/users/me/settings", { body }, { version: version || undefined });
      saved();
    },
  });
}

/** @param {Account} loaded */
function visibility(loaded) {
  let { version } = loaded;
  return form({
    fields: VISIBLE.map((it) => ({
      name: it,
      label: t(`visible_${it}`),
      kind: "select",
      value: loaded.visibility[it] ?? (it === "email" ? "onlyMe" : "everyone"),
      options: [
        { value: "everyone", label: t("everyone") },
        { value: "connections", label: t("connections") },
        { value: "onlyMe", label: t("onlyMe") },
      ],
    })),
    submit: text("save"),
    onsubmit: async (chosen) => {
      const body = { visibility: { ...loaded.visibility, ...chosen } };
      const changed = await call("PATCH /v1/users/me", { body }, { version });
      version = changed.version;
      user.set(changed);
      saved();
    },
  });
}

/** Who is billed. @param {PaymentSettings} loaded */
const contact = ({ name, email, address }) =>
  h(
    "details",
    null,
    h("summary", null, t("billing")),
    form({
      fields: [
        { name: "name", label: t("billingName"), value: name, props: { autocomplete: "name" } },
        { name: "email", label: text("email"), kind: "email", value: email, props: { autocomplete: "email" } },
        { name: "address.name", label: t("addressName"), value: address?.name },
        {
          name: "address.street",
          label: t("street"),
          value: address?.street,
          props: { autocomplete: "street-address" },
        },
        {
          name: "address.postalCode",
          label: t("postalCode"),
          value: address?.postalCode,
          props: { autocomplete: "postal-code" },
        },
        { name: "address.city", label: t("city"), value: address?.city, props: { autocomplete: "address-level2" } },
        {
          name: "address.region",
          label: t("regionCode"),
          hint: t("regionHint"),
          value: address?.region,
          props: { maxlength: 6 },
        },
      ],
      submit: text("save"),
      onsubmit: async (body) => {
        await call("PUT /v1/payment-settings", { body });
        saved();
      },
    }),
  );
