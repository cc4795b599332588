// Light and dark: what the system says, until the switch says otherwise.  Pictures are drawn anew when it changes.
import { el } from './dom';

const dark = window.matchMedia('(prefers-color-scheme: dark)');
const listeners: (() => void)[] = [];

export function isDark(): boolean {
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
  return button;
}
