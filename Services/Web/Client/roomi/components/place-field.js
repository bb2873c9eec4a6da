// @ts-check
/** Where someone looks for a home: a city, the device's position, or both. */
import { actionButton, buildField } from "../../shared/components/form.js";
import { icon } from "../../shared/components/icon.js";
import { Problem } from "../../shared/api.js";
import { text } from "../../shared/text.js";
import { h, state } from "../../shared/view.js";
import { countries } from "../labels.js";
import { p } from "../profile-strings.js";
import { t } from "../screen-strings.js";

/** @import { RoommatePlace } from "../../../Types/api.d.ts" */

/** @param {RoommatePlace} value */
export function placeField(value) {
  const position = state(value.position);
  const city = buildField({
    name: "city",
    label: p("city"),
    value: value.city?.name,
    props: { autocomplete: "address-level2", maxlength: 120 },
  });
  const country = buildField({
    name: "country",
    label: p("country"),
    kind: "select",
    value: value.city?.country ?? defaultCountry(),
    options: countries(),
    props: { autocomplete: "country" },
  });
  const locate = async () => position.set(await devicePosition());
  const element = h(
    "div.place",
    null,
    h("div.place-city", null, city.element, country.element),
    () =>
      position.get()
        ? h(
          "p.chip.is-success.position",
          null,
          icon("map"),
          t("positionSet"),
          h("button.button.quiet.icon-only", {
            type: "button",
            "aria-label": p("positionRemove"),
            onclick: () => position.set(undefined),
          }, icon("close")),
        )
        : h(
          "div",
          null,
          actionButton({ label: p("positionUse"), icon: "map", run: locate, class: "small" }),
          h("p.hint", null, p("positionHint")),
        ),
  );
  const read = () => {
    const name = city.read();
    const place = {
      ...(name && { city: { name, country: country.read() } }),
      ...(position.get() && { position: position.get() }),
    };
    return Object.keys(place).length > 0 ? place : undefined;
  };
  return { element, read, required: true, check: () => read() ? "" : text("required") };
}

/** Of the browser's language, such as DE for de-DE. */
function defaultCountry() {
  return new Intl.Locale(navigator.language).maximize().region ?? "US";
}

/** The API keeps a position to about a kilometer, so more digits would not leave the device for anything. */
async function devicePosition() {
  /** @type {GeolocationPosition} */
  const { coords } = await new Promise((resolve, reject) =>
    navigator.geolocation.getCurrentPosition(resolve, () => reject(unknownPosition()), { timeout: 10_000 })
  );
  const rounded = (/** @type {number} */ it) => Math.round(it * 1000) / 1000;
  return { latitude: rounded(coords.latitude), longitude: rounded(coords.longitude) };
}

const unknownPosition = () => new Problem({ status: 0, code: "position-unknown", title: p("positionUnknown") });
