// @ts-check
import { call } from "../../shared/api.js";
import { confirmDialog, openDialog } from "../../shared/components/dialog.js";
import { actionButton, form } from "../../shared/components/form.js";
import { icon } from "../../shared/components/icon.js";
import { avatar } from "../../shared/components/picture.js";
import { shareButton } from "../../shared/components/share.js";
import { toast } from "../../shared/components/toast.js";
import { date } from "../../shared/language.js";
import { link } from "../../shared/router.js";
import { hasRole, user } from "../../shared/session.js";
import { text } from "../../shared/text.js";
import { h, state } from "../../shared/view.js";
import { study } from "../study.js";
import { t } from "../screen-strings.js";

/** @import { SetLink, SetMember, SetShares } from "../../../Types/api.d.ts" */

/** @param {import("../../shared/router.js").Visit} visit */
export async function load({ params: { id }, signal }) {
  // what is shared is on the platform first
  if (study().store.pending.get() > 0) await study().sync.run();
  const [shares, set] = await Promise.all([
    call("GET /v1/study-sets/{id}/shares", { id }, { signal }),
    call("GET /v1/study-sets/{id}", { id }, { signal }),
  ]);
  return { shares, set };
}

/** Who sees a set: people, links, everyone. @param {Awaited<ReturnType<typeof load>>} data */
export default function shareScreen({ shares: first, set }) {
  const { id } = set;
  const shares = state(/** @type {SetShares} */ (first));
  const isPublished = state(set.isPublished);
  const isOwner = set.role === "owner";
  const reload = async () => shares.set(await call("GET /v1/study-sets/{id}/shares", { id }));
  const roles = () => /** @type {const} */ (["viewer", "editor"]).map((value) => ({ value, label: t(value) }));

  const publish = async () => {
    const isSure = await confirmDialog({ title: t("publish"), message: t("publishMessage"), confirm: t("publish") });
    if (!isSure) return;
    await call("PUT /v1/study-sets/{id}/publication", { id });
    isPublished.set(true);
    toast(t("publishedNow"), { kind: "success" });
  };
  const unpublish = async () => {
    await call("DELETE /v1/study-sets/{id}/publication", { id });
    isPublished.set(false);
  };
  const showLink = (/** @type {string} */ token) => {
    const address = `${location.origin}${link("/join", { token })}`;
    const copy = async () => {
      await navigator.clipboard.writeText(address);
      toast(t("linkCopied"), { kind: "success" });
    };
    const share = () => navigator.share({ title: set.title, url: address }).catch(() => {});
    return openDialog({
      title: t("linkMade"),
      build: () =>
        h(
          "div.stack",
          null,
          h("p", null, t("linkOnce")),
          h("input.input", {
            value: address,
            readonly: true,
            "aria-label": t("link"),
            onfocus: (/** @type {any} */ event) => event.target.select(),
          }),
          h(
            "div.form-actions",
            null,
            "share" in navigator && h("button.button", { type: "button", onclick: share }, icon("share"), t("share")),
            actionButton({ label: t("copyLink"), icon: "copy", run: copy, class: "primary" }),
          ),
        ),
    });
  };

  return h(
    "div.stack.prose",
    null,
    h("a.button.quiet.small.back-link", { href: link(`/sets/${id}`) }, icon("back"), t("backToSet")),
    h("h1", null, t("shareSet", { title: set.title })),
    hasRole("guest") && h("p.notice", null, t("guestNoSharing")),
    isOwner && h(
      "section.card.stack",
      null,
      h("h2", null, t("invite")),
      form({
        fields: [
          {
            name: "username",
            label: text("username"),
            required: true,
            props: { autocapitalize: "none", autocomplete: "off", maxlength: 30 },
          },
          { name: "role", label: t("role"), kind: "select", value: "viewer", options: roles() },
        ],
        submit: t("invite"),
        onsubmit: async (body) => {
          await call("POST /v1/study-sets/{id}/shares", { id, body });
          await reload();
          toast(t("invited", { name: body.username }), { kind: "success" });
        },
      }),
    ),
    h(
      "section.stack",
      null,
      h("h2", null, t("members")),
      h("ul.rows", { role: "list" }, () => shares.get().members.map((it) => memberRow(id, it, isOwner, reload))),
    ),
    isOwner && h(
      "section.card.stack",
      null,
      h("h2", null, t("byLink")),
      h("p.soft", null, t("byLinkHint")),
      form({
        fields: [
          { name: "role", label: t("role"), kind: "select", value: "viewer", options: roles() },
          {
            name: "days",
            label: t("validDays"),
            kind: "number",
            value: 30,
            required: true,
            props: { min: 1, max: 365 },
          },
        ],
        submit: t("makeLink"),
        onsubmit: async (body) => {
          const { link: made } = await call("POST /v1/study-sets/{id}/shares", { id, body });
          await reload();
          if (made?.token) await showLink(made.token);
        },
      }),
      () =>
        shares.get().links.length > 0 &&
        h("ul.rows", { role: "list" }, shares.get().links.map((it) => linkRow(id, it, reload))),
    ),
    isOwner && h(
      "section.card.stack",
      null,
      h("h2", null, t("library")),
      h("p.soft", null, () => t(isPublished.get() ? "isPublished" : "publishHint")),
      () =>
        h(
          "div.row",
          null,
          isPublished.get()
            ? [
              shareButton({
                kind: "set",
                id,
                title: set.title,
                label: t("share"),
                copied: t("linkCopied"),
                class: "primary",
              }),
              h("a.button", { href: link(`/library/${id}`) }, icon("book"), t("showInLibrary")),
              actionButton({ label: t("unpublish"), run: unpublish, class: "quiet" }),
            ]
            : actionButton({ label: t("publish"), icon: "globe", run: publish, class: "primary" }),
        ),
    ),
  );
}

/** @param {string} id @param {SetMember} member @param {boolean} isOwner @param {() => Promise<void>} reload */
function memberRow(id, { userID, user: person, role }, isOwner, reload) {
  const name = person?.displayName ?? t("unknownPerson");
  const isMe = userID === user.get()?.id;
  const change = async (/** @type {any} */ event) => {
    await call("PATCH /v1/study-sets/{id}/shares/{userID}", { id, userID, body: { role: event.target.value } });
    await reload();
  };
  const remove = async () => {
    await call("DELETE /v1/study-sets/{id}/shares/{userID}", { id, userID });
    await reload();
  };
  return h(
    "li",
    null,
    h(
      "div",
      null,
      avatar(person, { size: "small" }),
      h(
        "span.grow",
        null,
        isMe ? t("nameAndYou", { name }) : name,
        person?.username && h("span.soft.small-text", null, ` @${person.username}`),
      ),
      isOwner && role !== "owner"
        ? [
          h(
            "select.input.role-select",
            { "aria-label": t("roleOf", { name }), onchange: change },
            /** @type {const} */ (["viewer", "editor"]).map((value) =>
              h("option", { value, selected: value === role }, t(value))
            ),
          ),
          actionButton({ label: t("remove"), run: remove, class: "quiet small" }),
        ]
        : h("span.chip", null, t(role)),
    ),
  );
}

/** @param {string} id @param {SetLink} made @param {() => Promise<void>} reload */
function linkRow(id, { id: name, role, expiresAt, uses }, reload) {
  const revoke = async () => {
    await call("DELETE /v1/study-sets/{id}/links/{link}", { id, link: name });
    await reload();
  };
  return h(
    "li",
    null,
    h(
      "div",
      null,
      icon("link"),
      h(
        "span.grow",
        null,
        t(role),
        h("br"),
        h("span.soft.small-text", null, t("linkFacts", { date: date(expiresAt), count: uses })),
      ),
      actionButton({ label: t("revoke"), run: revoke, class: "quiet small" }),
    ),
  );
}
