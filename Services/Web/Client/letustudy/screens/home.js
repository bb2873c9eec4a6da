// @ts-check
import { avatar } from "../../shared/components/avatar.js";
import { empty } from "../../shared/components/states.js";
import { icon } from "../../shared/components/icon.js";
import { number, relative } from "../../shared/language.js";
import { link } from "../../shared/router.js";
import { hasRole, user } from "../../shared/session.js";
import { text } from "../../shared/text.js";
import { h, untracked } from "../../shared/view.js";
import { setCard } from "../components/set-card.js";
import { duration } from "../components/words.js";
import { study } from "../study.js";
import { t } from "../strings.js";

/** Who is studying, what is due today, and the sets that were used last. */
export default function homeScreen() {
  const { model, opened, access, store } = study();
  // when the app was used before, not now
  const lastTime = untracked(() =>
    Math.max(0, ...model.entries.get().map((it) => it.at), ...Object.values(opened.get()))
  );
  const due = () => model.queue([...model.cardsBySet.get().values()].flat());
  const spentToday = () => {
    const today = model.today();
    return model.entries.get().filter((it) => it.day === today).reduce((sum, it) => sum + it.milliseconds, 0);
  };
  const recent = () => {
    const used = (/** @type {string} */ id) =>
      Math.max(
        opened.get()[id] ?? 0,
        model.lastStudied.get().get(id) ?? 0,
        Date.parse(access.get().get(id)?.lastOpenedAt ?? "") || 0,
      );
    return model.sets.get().toSorted((a, b) => (used(b.id) || b.changedAt) - (used(a.id) || a.changedAt)).slice(0, 6);
  };
  return h(
    "div.stack.home",
    null,
    h(
      "header.greeting",
      null,
      () => avatar(user.get() ?? undefined, { size: "large" }),
      h(
        "div",
        null,
        h("h1", null, () => hasRole("guest") ? t("helloGuest") : t("hello", { name: user.get()?.displayName ?? "" })),
        h("p.soft", null, lastTime > 0 ? t("lastTime", { time: relative(lastTime) }) : t("firstTime")),
      ),
    ),
    () =>
      hasRole("guest") &&
      h("p.notice.row", null, t("guestNotice"), h("a.button.small", { href: link("/sign-up") }, text("createAccount"))),
    h(
      "section.today",
      { "aria-label": t("today") },
      () => {
        const { due: cards, fresh, laterToday } = due();
        const count = cards.length + fresh.length;
        return h(
          "div.card.today-main",
          null,
          h("p.eyebrow", null, t("today")),
          h("p.today-count", null, h("strong", null, number(count)), " ", t("cardsToStudy", { count })),
          h(
            "p.soft.small-text",
            null,
            count > 0
              ? t("dueAndNew", { due: cards.length, fresh: fresh.length })
              : laterToday > 0
              ? t("laterToday", { count: laterToday })
              : t("nothingDue"),
          ),
          count > 0
            ? h("a.button.primary", { href: link("/study") }, icon("play"), t("startStudying"))
            : h("a.button", { href: link("/sets") }, icon("card"), t("toSets")),
        );
      },
      () => {
        const { current, longest, includesToday } = model.streak.get();
        return h(
          "a.card.fact",
          { href: link("/calendar") },
          h("span.fact-icon", { class: { "is-on": includesToday } }, icon("calendar")),
          h("strong", null, t("dayCount", { count: current })),
          h("span.soft.small-text", null, includesToday ? t("streakLongest", { count: longest }) : t("streakWaits")),
        );
      },
      () =>
        h(
          "a.card.fact",
          { href: link("/statistics") },
          h("span.fact-icon", null, icon("clock")),
          h("strong", null, duration(spentToday())),
          h("span.soft.small-text", null, t("studiedToday")),
        ),
    ),
    h(
      "section.stack",
      null,
      h(
        "div.spread",
        null,
        h("h2", null, t("recentSets")),
        h("a.button.quiet", { href: link("/sets") }, t("allSets")),
      ),
      () =>
        recent().length > 0
          ? h("ul.cards", { role: "list" }, recent().map((set) => h("li", null, setCard(set, "h3"))))
          : store.all("sets").size === 0 && empty({
            icon: "card",
            title: t("noSets"),
            message: t("noSetsHint"),
            action: h(
              "div.row",
              null,
              h("a.button.primary", { href: link("/sets/new") }, icon("add"), t("newSet")),
              h("a.button", { href: link("/library") }, t("browseLibrary")),
            ),
          }),
    ),
  );
}
