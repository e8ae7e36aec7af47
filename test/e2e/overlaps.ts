import type { Page } from 'playwright-core';
import { z } from 'zod';

/** Widths every page must do with, px: phones, a large phone, a tablet, a desk. */
export const WIDTHS = [360, 480, 700, 1280] as const;

/**
 * Runs in the browser: what is printed over something else. Each text that shows is measured line
 * by line, cut to what its scrolling boxes let through; two texts of different elements may not
 * share a spot, and no text may stick out of the card it stands in. Boxes of cards (panels, keys,
 * findings) may not share one either, unless one holds the other.
 */
const LOOK = `(() => {
  const SLACK = 1.5;
  const CARDS = '.panel, .key, .finding, .count, .step, .floor-now, .entry, a.tile, .head, .saws';
  const UNSEEN = '.unheard, .skip, .more-below, .shortcut';
  const cut = (rect, element) => {
    let { left, top, right, bottom } = rect;
    for (let at = element; at !== null && at !== document.body; at = at.parentElement) {
      const { overflowX, overflowY, position } = getComputedStyle(at);
      if (position === 'fixed') break;
      const box = at.getBoundingClientRect();
      if (overflowX !== 'visible') {
        left = Math.max(left, box.left);
        right = Math.min(right, box.right);
      }
      if (overflowY !== 'visible') {
        top = Math.max(top, box.top);
        bottom = Math.min(bottom, box.bottom);
      }
    }
    return { left, top, right, bottom };
  };
  const isSeen = ({ left, top, right, bottom }) => right - left > SLACK && bottom - top > SLACK;
  const share = (a, b) =>
    Math.min(a.right, b.right) - Math.max(a.left, b.left) > SLACK &&
    Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > SLACK;
  const texts = [];
  const found = [];
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walk.nextNode(); node !== null; node = walk.nextNode()) {
    const element = node.parentElement;
    const text = (node.textContent ?? '').trim();
    if (text === '' || element === null || element.closest(UNSEEN) !== null) continue;
    if (!element.checkVisibility() || element.closest('script, style, option') !== null) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    // A line's box is taller than its letters: the leading of two lines may touch.
    const size = parseFloat(getComputedStyle(element).fontSize);
    const card = element.closest(CARDS)?.getBoundingClientRect();
    for (const whole of range.getClientRects()) {
      const spare = Math.max(0, (whole.height - size) / 2);
      const letters = {
        left: whole.left,
        right: whole.right,
        top: whole.top + spare,
        bottom: whole.bottom - spare,
      };
      const rect = cut(letters, element);
      if (!isSeen(rect)) continue;
      texts.push({ element, text: text.slice(0, 40), rect });
      if (card === undefined) continue;
      const aside = Math.max(card.left - rect.left, rect.right - card.right);
      const out = Math.max(aside, rect.bottom - card.bottom);
      if (out > SLACK) found.push('"' + text.slice(0, 40) + '" sticks out of its card');
    }
  }
  for (const [i, one] of texts.entries()) {
    for (const other of texts.slice(i + 1)) {
      if (one.element === other.element || !share(one.rect, other.rect)) continue;
      found.push('"' + one.text + '" lies over "' + other.text + '"');
    }
  }
  const cards = [...document.querySelectorAll(CARDS)]
    .filter((card) => card.checkVisibility())
    .map((card) => ({ card, rect: cut(card.getBoundingClientRect(), card.parentElement) }))
    .filter(({ rect }) => isSeen(rect));
  for (const [i, one] of cards.entries()) {
    for (const other of cards.slice(i + 1)) {
      if (one.card.contains(other.card) || other.card.contains(one.card)) continue;
      if (!share(one.rect, other.rect)) continue;
      found.push('card .' + one.card.className + ' lies over card .' + other.card.className);
    }
  }
  return [...new Set(found)].slice(0, 20);
})()`;

/** What is printed over something else on a page as it is shown, one line each. */
export const overlaps = async (page: Page): Promise<readonly string[]> =>
  z.array(z.string()).parse(await page.evaluate(LOOK));
