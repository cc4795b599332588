// Colours of segments and variables: a few get colours that colour-blind readers can distinguish (Okabe and Ito), many
// a gradual scale from dark to light.
import { interpolateViridis } from 'd3-scale-chromatic';
import { el } from './dom';
import { isDark, onTheme } from './theme';

const FEW_LIGHT = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#b58900', '#56b4e9', '#7b3294', '#595959'];
const FEW_DARK = ['#5db7ff', '#ff8c42', '#2fd6a5', '#f0a3cc', '#e6c229', '#9ad7ff', '#c79bf2', '#c0c0c0'];

export function palette(size: number): string[] {
  if (size <= FEW_LIGHT.length) return (isDark() ? FEW_DARK : FEW_LIGHT).slice(0, size);
  const [from, to] = isDark() ? [0.25, 1] : [0, 0.87];
  return Array.from({ length: size }, (_, i) => interpolateViridis(from + ((to - from) * i) / (size - 1)));
}

/** A legend of a few names in the colours of the palette. */
export function swatches(names: string[]): HTMLElement {
  const marks = names.map(() => el('span', { class: 'swatch', 'aria-hidden': 'true' }));
  const paint = (): void =>
    palette(names.length).forEach((colour, i) => {
      marks[i]!.style.backgroundColor = colour;
    });
  paint();
  onTheme(paint);
  return el('p', { class: 'legend' }, ...names.map((name, i) => el('span', {}, marks[i], name)));
}
