// @ts-check
import { follow, on } from "./realtime.js";

/**
 * Follows a topic while the part of the page around it is there. `load` is called once its events arrive: what has
 * happened since the page's data was loaded may have been missed.
 * @param {string} topic
 * @param {() => unknown} load
 */
export function followed(topic, load) {
  let isFollowed = false;
  follow(topic);
  on("topics", ({ topics }) => {
    const isNew = !isFollowed && topics.includes(topic);
    isFollowed = topics.includes(topic);
    if (isNew) load();
  });
}
