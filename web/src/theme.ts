// Light and dark: as the system prefers, unless the switch says otherwise; on paper always light.  Pictures are drawn
// again when it changes.
import { el } from './dom';

const dark = window.matchMedia('(prefers-color-scheme: dark)');
const paper = window.matchMedia('print');
const listeners: (() => void)[] = [];

export function isDark(): boolean {
  if (paper.matches) return false;
  const chosen = document.documentElement.dataset['theme'];
  return chosen ? chosen === 'dark' : dark.matches;
}

export function onTheme(listener: () => void): void {
  listeners.push(listener);
}

export function themeSwitch(): HTMLElement {
  const button = el('button', { type: 'button', class: 'theme', 'aria-pressed': String(isDark()) }, 'Dark');
  const changed = (): void => {
    button.setAttribute('aria-pressed', String(isDark()));
    listeners.forEach((listener) => listener());
  };
  button.addEventListener('click', () => {
    document.documentElement.dataset['theme'] = isDark() ? 'light' : 'dark';
    changed();
  });
  dark.addEventListener('change', changed);
  paper.addEventListener('change', () => listeners.forEach((listener) => listener()));
  return button;
}
