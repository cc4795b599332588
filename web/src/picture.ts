// A picture in its frame: drawn by Observable Plot at the available width, with a text for those who cannot see it.
import * as Plot from '@observablehq/plot';
import { el, nameCuts } from './dom';
import { onTheme } from './theme';

export interface Picture {
  /** What the picture shows, for screen readers. */
  alt: string;
  caption?: string | null;
  plot: (width: number) => Plot.PlotOptions;
  most?: number;
}

/** Narrower frames scale the picture: below this width, axes would have no room. */
const LEAST = 240;

type Framed = HTMLElement & { redraw: () => void };

const framed = new Set<Framed>();
const sizes = new ResizeObserver((entries) => {
  for (const entry of entries) {
    const frame = entry.target as Framed;
    if (Math.abs(frame.clientWidth - Number(frame.dataset['width'] ?? 0)) > 8) frame.redraw();
  }
});
onTheme(() => framed.forEach((frame) => frame.isConnected && frame.redraw()));

/** Plot adds a style element, which the page's policy rejects; style.css has the same rules. */
export function draw(options: Plot.PlotOptions, alt: string): Element {
  const drawn = Plot.plot({ className: 'plot', ...options });
  drawn.querySelectorAll('style').forEach((style) => style.remove());
  nameCuts(drawn);
  drawn.setAttribute('role', 'img');
  drawn.setAttribute('aria-label', alt);
  return drawn;
}

export function picture(p: Picture): HTMLElement & { redraw: () => void } {
  const holder = el('div', { class: 'holder' });
  const figure = el('figure', { class: 'picture' }, holder, p.caption && el('figcaption', {}, p.caption));
  const redraw = (): void => {
    const width = Math.max(LEAST, Math.min(holder.clientWidth || 640, p.most ?? 900));
    holder.dataset['width'] = String(holder.clientWidth);
    holder.replaceChildren(draw(p.plot(width), p.alt));
  };
  const frame = Object.assign(holder, { redraw });
  framed.add(frame);
  sizes.observe(frame);
  return Object.assign(figure, { redraw });
}
