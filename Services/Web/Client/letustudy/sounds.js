// @ts-check
/** What is heard: sounds, and cards that are read aloud. */
import { preferences } from "./preferences.js";

/** @type {AudioContext | undefined} */
let audio;

/** A short sound, if sounds are on. @param {"right" | "wrong" | "done"} kind */
export function play(kind) {
  if (!preferences.get().sound || !("AudioContext" in globalThis)) return;
  audio ??= new AudioContext();
  const notes = { right: [660, 880], wrong: [260, 200], done: [523, 659, 784, 1047] }[kind];
  for (const [index, frequency] of notes.entries()) {
    const start = audio.currentTime + index * 0.09;
    const [tone, volume] = [audio.createOscillator(), audio.createGain()];
    tone.type = "sine";
    tone.frequency.value = frequency;
    volume.gain.setValueAtTime(0.08, start);
    volume.gain.exponentialRampToValueAtTime(0.001, start + 0.16);
    tone.connect(volume).connect(audio.destination);
    tone.start(start);
    tone.stop(start + 0.17);
  }
}

/** Reads a text aloud. @param {string} text */
export function speak(text) {
  if (!("speechSynthesis" in globalThis)) return;
  speechSynthesis.cancel();
  speechSynthesis.speak(new SpeechSynthesisUtterance(text));
}
