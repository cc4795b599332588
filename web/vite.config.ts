// One file out of all: script and style go into the page, with a content-security policy that allows them alone, and
// the licences of the libraries that are inside.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { defineConfig, type Plugin } from 'vite';

const OUTPUT = resolve(import.meta.dirname, '../src/write');

function policyHash(content: string): string {
  return `'sha256-${createHash('sha256').update(content, 'utf8').digest('base64')}'`;
}

/** The folder of the npm package that a module belongs to, or null for our own. */
function packageFolder(module: string): string | null {
  if (!module.includes('node_modules')) return null;
  for (let folder = dirname(module.split('?')[0]!); folder.includes('node_modules'); folder = dirname(folder)) {
    const file = join(folder, 'package.json');
    if (existsSync(file) && JSON.parse(readFileSync(file, 'utf8')).version) return folder;
  }
  return null;
}

/** Licence texts of all packages in the bundle, each text once with the names it covers. */
function licences(modules: Iterable<string>): string {
  const folders = new Set([...modules].map(packageFolder).filter((f): f is string => f !== null));
  for (const folder of [...folders]) {
    // a package may carry others inside its own files
    const about = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    Object.keys(about.dependencies ?? {})
      .map((name) => resolve(import.meta.dirname, 'node_modules', name))
      .filter(existsSync)
      .forEach((f) => folders.add(f));
  }
  const byText = new Map<string, string[]>();
  for (const folder of [...folders].sort()) {
    const about = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const file = readdirSync(folder).find((name) => /^licen[cs]e/i.test(name));
    if (!file) throw new Error(`${about.name} has no licence file`);
    const text = readFileSync(join(folder, file), 'utf8').replace(/\r/g, '').trim();
    byText.set(text, [...(byText.get(text) ?? []), `${about.name} ${about.version}`]);
  }
  return [...byText].map(([text, names]) => `${names.join(', ')}\n\n${text}`).join('\n\n----\n\n');
}

function singleFile(): Plugin {
  return {
    name: 'single-file',
    enforce: 'post',
    generateBundle(_, bundle) {
      const modules: string[] = [];
      let script = '';
      let style = '';
      for (const [name, part] of Object.entries(bundle)) {
        if (part.type === 'chunk') {
          script += part.code.trim();
          modules.push(...Object.keys(part.modules));
        } else if (name.endsWith('.css')) {
          style += String(part.source).trim();
        } else {
          continue;
        }
        delete bundle[name];
      }
      const page = Object.values(bundle).find((part) => part.fileName.endsWith('.html'));
      if (!page || page.type !== 'asset') throw new Error('no page');
      if (/<\/script|<!--/i.test(script)) throw new Error('the script would end its own element');
      const policy = [
        "default-src 'none'",
        `script-src ${policyHash(script)}`,
        `style-src ${policyHash(style)}`,
        'img-src data:',
        "base-uri 'none'",
        "form-action 'none'",
      ].join('; ');
      const notices = licences(modules).replace(/</g, '(').replace(/>/g, ')');
      page.source = String(page.source)
        .replace(/\s*<script type="module"[^>]*><\/script>/, '')
        .replace(/\s*<link rel="stylesheet"[^>]*>/, '')
        .replace(
          '<meta charset="utf-8" />',
          () => `<meta charset="utf-8" />\n    <meta http-equiv="Content-Security-Policy" content="${policy}" />`,
        )
        .replace(/\s*<\/head>/, () => `\n    <style>${style}</style>\n  </head>`)
        .replace(
          /\s*<\/body>/,
          () =>
            `\n    <script type="text/plain" id="licences">${notices}</script>\n    ` +
            `<script>${script}</script>\n  </body>`,
        );
      page.fileName = 'page.html';
    },
  };
}

export default defineConfig({
  build: {
    outDir: OUTPUT,
    emptyOutDir: false,
    assetsInlineLimit: 0,
    cssCodeSplit: false,
    modulePreload: false,
    target: 'es2022',
    reportCompressedSize: false,
    rollupOptions: { output: { format: 'iife' } },
  },
  plugins: [singleFile()],
});
