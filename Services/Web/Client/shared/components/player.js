// @ts-check
/** Sound with its waveform, and video: as a stream where the browser plays it, otherwise as a file. */
import { call } from "../api.js";
import { clockTime } from "../language.js";
import { content, playlist, poster, preview } from "../media.js";
import { text } from "../text.js";
import { effect, h, onCleanUp, state } from "../view.js";
import { icon } from "./icon.js";

const BARS = 60;
/** How much of a recording a preview has at most. */
const PREVIEW_SECONDS = 90;

/** @type {HTMLMediaElement | null} what plays: one thing at a time */
let playing = null;

/** @param {HTMLMediaElement} element */
function takeTurn(element) {
  if (playing !== element) playing?.pause();
  playing = element;
}

/**
 * @param {{ media: string, title: string, file?: "preview" | "content", milliseconds?: number }} options
 *   - `file`: `content` for owners and holders of a license, who hear all of it
 */
export function audioPlayer({ media, title, file = "preview", milliseconds = 0 }) {
  const isPlaying = state(false);
  const position = state(0);
  const length = state(milliseconds / 1000);
  const audio = h("audio", {
    preload: "none",
    src: file === "preview" ? preview(media) : content(media),
    onplay: () => {
      takeTurn(audio);
      isPlaying.set(true);
    },
    onpause: () => isPlaying.set(false),
    ontimeupdate: () => position.set(audio.currentTime),
    onloadedmetadata: () => Number.isFinite(audio.duration) && length.set(audio.duration),
  });
  onCleanUp(() => audio.pause());
  const label = () => `${isPlaying.get() ? text("pause") : text("play")}: ${title}`;
  const toggle = () => audio.paused ? audio.play().catch(() => {}) : audio.pause();
  const seek = h("input.seek", {
    type: "range",
    min: 0,
    step: 0.1,
    max: () => Math.max(0.1, length.get()),
    value: () => position.get(),
    "aria-label": `${text("position")}: ${title}`,
    "aria-valuetext": () =>
      text("playingTime", { position: clockTime(position.get() * 1000), length: clockTime(length.get() * 1000) }),
    oninput: () => {
      audio.currentTime = Number(seek.value);
      position.set(audio.currentTime);
    },
  });
  return h(
    "div.player",
    { class: () => isPlaying.get() ? "is-playing" : "" },
    audio,
    h(
      "button.play-button",
      { type: "button", "aria-label": label, onclick: toggle },
      () => icon(isPlaying.get() ? "pause" : "play"),
    ),
    h("div.waveform", {
      dir: "ltr",
      ref: (/** @type {HTMLElement} */ element) => {
        const draw = prepareWaveform(element, () => length.get() ? position.get() / length.get() : 0);
        loadWaveform(media, file === "preview" ? PREVIEW_SECONDS : Infinity).then((it) => {
          draw(it.peaks);
          if (!length.get()) length.set(it.seconds);
        }, () => {});
      },
    }, seek),
    h(
      "span.player-time",
      { "aria-hidden": "true" },
      () => clockTime((isPlaying.get() || position.get() ? position.get() : length.get()) * 1000),
    ),
  );
}

/**
 * Bars for the waveform, and over them those that were played; flat until it is known.
 * @param {HTMLElement} element
 * @param {() => number} part that was played
 * @returns {(heights: number[]) => void} draws it
 */
function prepareWaveform(element, part) {
  const layers = ["waiting", "played"].map((name) =>
    h(`svg.${name}`, { viewBox: "0 0 240 64", preserveAspectRatio: "none", "aria-hidden": "true" }, h("path", null))
  );
  /** @param {number[]} heights */
  function draw(heights) {
    const bars = heights.map((it, index) => `M${index * 4 + 2} ${32 - it * 30}V${32 + it * 30}`).join("");
    for (const layer of layers) layer.firstElementChild?.setAttribute("d", bars);
  }
  draw(Array.from({ length: BARS }, () => 0.06));
  element.prepend(...layers);
  effect(() => element.style.setProperty("--played", part().toFixed(4)));
  return draw;
}

/**
 * @param {string} media
 * @param {number} maxSeconds of what is heard, in seconds
 */
async function loadWaveform(media, maxSeconds) {
  const answer = /** @type {any} */ (await call("GET /v1/media/{id}/waveform", { id: media, samplesPerPixel: 4096 }));
  const waveform = answer instanceof Blob ? JSON.parse(await answer.text()) : answer;
  const all = waveform.length * waveform.samples_per_pixel / waveform.sample_rate;
  const seconds = Math.min(all, maxSeconds);
  return { seconds, peaks: peaks(waveform.data.slice(0, Math.ceil(waveform.length * seconds / all) * 2), BARS) };
}

/**
 * The loudest sample of each of `count` parts, from 0 to 1.
 * @param {number[]} samples pairs of least and most
 * @param {number} count
 */
export function peaks(samples, count) {
  const size = samples.length / count;
  const loudest = Array.from({ length: count }, (_, index) => {
    const some = samples.slice(
      Math.floor(index * size),
      Math.max(Math.floor(index * size) + 2, Math.floor((index + 1) * size)),
    );
    return Math.max(...some.map(Math.abs), 1);
  });
  const top = Math.max(...loudest);
  return loudest.map((it) => Math.max(0.06, it / top));
}

/**
 * @param {{ media: string, title: string, onprogress?: (seconds: number) => void, props?: Record<string, any> }} options
 */
export function videoPlayer({ media, title, onprogress, props }) {
  const video = h("video.video", {
    controls: true,
    playsinline: true,
    preload: "metadata",
    "aria-label": title,
    poster: poster(media),
    onplay: () => takeTurn(video),
    ontimeupdate: () => onprogress?.(video.currentTime),
    ...props,
  });
  const streams = video.canPlayType("application/vnd.apple.mpegurl") !== "";
  video.src = streams ? playlist(media) : content(media);
  if (streams) video.addEventListener("error", () => video.src = content(media), { once: true });
  onCleanUp(() => video.pause());
  return video;
}
