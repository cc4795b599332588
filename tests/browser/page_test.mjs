// page_test.mjs PROGRAM FOLDER - the report page as a reader has it: opened from a file in headless Chromium.
// BROWSER_PATH names the browser; NONSENS_SCREENSHOTS a folder for pictures to look at.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync, statSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';
import { contrasts, unnamed } from './look.mjs';

const [program, folder] = process.argv.slice(2);
const at = (name) => join(folder, name);
const nonsens = (...words) =>
  execFileSync(program, words, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'], maxBuffer: 1 << 28 });
const json = (name) => JSON.parse(readFileSync(at(name), 'utf8'));

let browser;
before(async () => {
  browser = await chromium.launch({
    executablePath: process.env.BROWSER_PATH,
    args: ['--no-sandbox', '--disable-gpu'],
  });
});
after(() => browser.close());

/** Opens a page and gathers all that should not happen: errors, dialogs, requests. */
async function open(name, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1100, height: 900 }, offline: true, ...options });
  const page = await context.newPage();
  const wrong = [];
  page.on('console', (message) => ['error', 'warning'].includes(message.type()) && wrong.push(message.text()));
  page.on('pageerror', (error) => wrong.push(String(error.stack)));
  page.on('dialog', (dialog) => {
    wrong.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('request', (request) => !/^(file|data):/.test(request.url()) && wrong.push(`request: ${request.url()}`));
  const begun = Date.now();
  await page.goto(pathToFileURL(at(name)).href);
  await page.waitForSelector('footer');
  return { page, wrong, seconds: (Date.now() - begun) / 1000, close: () => context.close() };
}

async function keep(page, name, options = { fullPage: true }) {
  const where = process.env.NONSENS_SCREENSHOTS;
  if (!where) return;
  mkdirSync(where, { recursive: true });
  await page.screenshot({ path: join(where, `${name}.png`), ...options });
}

/** A table has this many rows; it is made once it is unfolded. */
async function hasRows(page, place, rows) {
  const row = page.locator(`${place} tbody tr`);
  await row.nth(rows - 1).waitFor({ state: 'attached' });
  assert.equal(await row.count(), rows, place);
}

const plain = (text) => text.replace(/[\u2068\u2069]/g, '');

test('a direction: right decision, no error, all parts, interactions', async () => {
  nonsens('simulate', '--depth', '3', '--seed', '3', '--per-segment', '150', '-o', 'pair.csv');
  nonsens(
    'direction',
    'pair.csv',
    '--segment',
    'segment',
    '--json',
    'pair.json',
    '--html',
    'pair.html',
    '-o',
    'pair.txt',
    '-q',
  );
  const result = json('pair.json');
  const { page, wrong, close } = await open('pair.html');
  const [cause, effect] = result.decision.split('->');
  assert.equal(plain(await page.locator('h1').textContent()), `pair.csv: ${cause} causes ${effect}`);
  assert.match(await page.locator('.period').textContent(), /1,500 rows in 10 segments/);
  assert.match(await page.locator('.summary').textContent(), /How sure:.*Check next:/);
  assert.equal(await page.locator('.multiples svg.plot').count(), 1, 'a plot of every segment');
  assert.match(plain(await page.locator('.multiples svg.plot').getAttribute('aria-label')), /s1 .*, s2 .*, s9 .*, s10 /);
  assert.equal(await page.title(), `pair.csv: ${cause} causes ${effect} \u2013 nonsens`);
  const order = await page.locator('main > section').evaluateAll((all) => all.map((s) => s.id));
  assert.deepEqual(order, ['decision', 'evidence', 'checks', 'rows', 'segments', 'again']);
  assert.equal(
    await page.locator('#evidence svg [aria-label="bar"] path, #evidence svg [aria-label="bar"] rect').count(),
    2,
  );
  assert.equal(await page.locator('#rows figure').count(), 6, 'the pair, its segments and four of disturbances');
  assert.ok((await page.locator('#rows svg circle').count()) > 4 * 1400);
  assert.ok((await page.locator('#checks li.fine').count()) >= 3);
  assert.equal(await page.locator('#again code').textContent(), 'nonsens direction pair.csv --segment segment');

  // a segment alone, by the keyboard
  const full = await page.locator('#rows figure').first().locator('circle').count();
  await page.locator('button.segment').first().focus();
  await page.keyboard.press('Enter');
  assert.equal(await page.locator('button.segment').first().getAttribute('aria-pressed'), 'true');
  const layers = await page.locator('#rows figure').first().locator('[aria-label="dot"]').count();
  assert.equal(layers, 2, 'the segment, and the others behind it');
  await page.keyboard.press('Enter');
  assert.equal(await page.locator('#rows figure').first().locator('circle').count(), full);

  // a row under the pointer says which it is
  const plot = page.locator('#rows figure').first().locator('svg');
  await plot.scrollIntoViewIfNeeded();
  const box = await plot.boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.mouse.move(box.x + box.width / 2 + 3, box.y + box.height / 2 + 3);
  assert.match(plain(await plot.locator('[aria-label="tip"]').textContent()), /row \d+, segment s\d+/);

  // tables
  await page.locator('#evidence summary').first().click();
  await hasRows(page, '#evidence', result.evidence.length);
  const cells = await page.locator('#evidence tbody td:nth-child(3)').allTextContents();
  const small = cells.filter((_, k) => (result.evidence[k].p_value ?? 1) < result.p_value_bound);
  assert.deepEqual([...new Set(small)], ['<\u00a00.001']);
  await page.locator('#rows summary').first().click();
  await hasRows(page, '#rows', 1500);

  // copying, with and without a clipboard
  await page.locator('#again button').click();
  await page.waitForFunction(() =>
    /Copied|Selected/.test(document.querySelector('#again .command [role=status]').textContent),
  );

  // light and dark
  const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  assert.equal(await paper(), 'rgb(255, 255, 255)');
  await page.locator('button.theme').click();
  assert.notEqual(await paper(), 'rgb(255, 255, 255)');
  assert.equal(await page.locator('button.theme').getAttribute('aria-pressed'), 'true');
  assert.deepEqual(wrong, []);
  await close();
});

test('contrast and names for screen readers, light and dark, wide and narrow', async () => {
  for (const colorScheme of ['light', 'dark']) {
    const { page, wrong, close } = await open('pair.html', { colorScheme });
    await page.evaluate(() =>
      document.querySelectorAll('details').forEach((d) => {
        d.open = true;
      }),
    );
    await page.waitForTimeout(100);
    assert.deepEqual(await page.evaluate(contrasts), [], `contrast, ${colorScheme}`);
    assert.deepEqual(await page.evaluate(unnamed), [], 'pictures, buttons and fields have names');
    assert.deepEqual(wrong, []);
    await page.evaluate(() =>
      document.querySelectorAll('details').forEach((d) => {
        d.open = false;
      }),
    );
    await keep(page, `pair-${colorScheme}`);
    await close();
  }
  const { page, wrong, close } = await open('pair.html', { viewport: { width: 360, height: 700 } });
  await page.waitForTimeout(100);
  assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 361, 'nothing sticks out');
  await keep(page, 'pair-narrow');
  assert.deepEqual(wrong, []);
  await close();
});

test('print: the head is gone, colours are light, nothing fails', async () => {
  const { page, wrong, close } = await open('pair.html', { colorScheme: 'dark' });
  await page.emulateMedia({ media: 'print' });
  assert.equal(await page.locator('header').isVisible(), false);
  assert.equal(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), 'rgb(255, 255, 255)');
  await keep(page, 'pair-print');
  assert.ok((await page.pdf()).length > 20000);
  assert.deepEqual(wrong, []);
  await close();
});

test('the policy keeps foreign scripts and styles out', async () => {
  const { page, close } = await open('pair.html');
  const policy = await page.locator('meta[http-equiv="Content-Security-Policy"]').getAttribute('content');
  assert.match(policy, /^default-src 'none'; script-src 'sha256-[^']+'; style-src 'sha256-[^']+'; img-src data:/);
  assert.doesNotMatch(policy, /unsafe/);
  const state = await page.evaluate(async () => {
    const script = document.createElement('script');
    script.textContent = 'window.foreign = 1';
    document.body.append(script);
    const picture = document.createElement('div');
    picture.innerHTML =
      '<img src="data:," onerror="window.foreign = 2"><p id="styled" style="color: rgb(1, 2, 3)">x</p>';
    document.body.append(picture);
    const refused = new Promise((done) => {
      document.addEventListener('securitypolicyviolation', (event) => {
        if (event.effectiveDirective === 'connect-src') done(event.blockedURI);
      });
      setTimeout(() => done('nothing was refused'), 2000);
    });
    await fetch('https://example.org/').catch(() => {});
    await new Promise((done) => setTimeout(done, 100));
    return [window.foreign, getComputedStyle(document.getElementById('styled')).color, await refused];
  });
  assert.equal(state[0], undefined);
  assert.notEqual(state[1], 'rgb(1, 2, 3)');
  assert.match(state[2], /example\.org/, 'the policy itself refuses, not the missing network');
  await close();
});

test('a graph: nodes, links, support, hover, drag, zoom, keys', async () => {
  nonsens(
    'simulate',
    '--sem',
    'node',
    '--nodes',
    '5',
    '--segments',
    '6',
    '--per-segment',
    '120',
    '--depth',
    '1',
    '--edge-prob',
    '.6',
    '--seed',
    '5',
    '-o',
    'five.csv',
  );
  nonsens(
    'discover',
    'five.csv',
    '--segment',
    'segment',
    '--method',
    'lingam',
    '--bootstrap',
    '20',
    '--json',
    'five.json',
    '--html',
    'five.html',
    '-o',
    'five.txt',
    '-q',
  );
  const result = json('five.json');
  assert.ok(result.edges.length >= 2, 'the example has links');
  const { page, wrong, close } = await open('five.html');
  await page.waitForTimeout(100);
  await keep(page, 'graph-light');
  assert.equal(await page.locator('.graph .node').count(), 5);
  assert.equal(await page.locator('.graph .edge').count(), result.edges.length);
  assert.equal(await page.locator('.graph .support').count(), result.edges.length);
  await hasRows(page, '#graph', result.edges.length);
  assert.ok(await page.locator('#graph .legend').textContent());

  const node = page.locator('.graph .node').first();
  await node.scrollIntoViewIfNeeded();
  await node.hover();
  assert.match(await page.locator('.tip').textContent(), /auses/);
  assert.ok((await page.locator('.graph .dim').count()) > 0, 'what is not near is dimmed');

  const place = await node.getAttribute('transform');
  const line = await page
    .locator('.graph .line')
    .allTextContents()
    .then(() => page.locator('.graph .line').evaluateAll((all) => all.map((l) => l.getAttribute('d'))));
  const box = await node.boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.mouse.down();
  await page.mouse.move(box.x + 60, box.y + 50, { steps: 4 });
  await page.mouse.up();
  assert.notEqual(await node.getAttribute('transform'), place, 'a variable can be dragged');
  const moved = await page.locator('.graph .line').evaluateAll((all) => all.map((l) => l.getAttribute('d')));
  const name = plain(await node.textContent());
  const touches = result.edges.some((e) => e.from === name || e.to === name);
  assert.equal(JSON.stringify(moved) !== JSON.stringify(line), touches, 'its links go with it');

  const world = page.locator('.graph > g');
  await page.getByRole('button', { name: 'Zoom in' }).click();
  await page.waitForFunction(() =>
    /scale\(1\.[1-9]/.test(document.querySelector('.graph > g').getAttribute('transform') ?? ''),
  );
  await page.getByRole('button', { name: 'Show the whole graph' }).click();
  await page.waitForFunction(() =>
    /scale\(1\)/.test(document.querySelector('.graph > g').getAttribute('transform') ?? ''),
  );
  assert.ok(await world.getAttribute('transform'));

  // by keys alone: to the first link, whose data Enter shows
  await page.locator('svg.graph').focus();
  for (let i = 0; i < 6; i++) await page.keyboard.press('ArrowRight');
  const first = result.edges[0];
  assert.ok(plain(await page.locator('.tip').textContent()).includes(first.from));
  await page.keyboard.press('Enter');
  const chosen = await page
    .locator('#rows select')
    .evaluateAll((all) => all.map((s) => s.selectedOptions[0].textContent));
  assert.deepEqual(chosen.map(plain), [first.from, first.to]);
  await page.locator('#rows select').first().selectOption({ index: 2 });
  await page.locator('#rows select').nth(1).selectOption({ index: 3 });
  // drawn some time after the choice
  await page.waitForFunction(() => document.querySelectorAll('#rows figure')[0].querySelectorAll('circle').length > 100);
  assert.deepEqual(await page.evaluate(contrasts), []);
  assert.deepEqual(await page.evaluate(unnamed), []);
  assert.deepEqual(wrong, []);
  await close();
});

const HOSTILE = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(2)>',
  "';alert(3)//",
  'a'.repeat(10000),
  '\u05e9\u05dc\u05d5\u05dd \u202e evil',
  '</script><!--',
  '__proto__',
];

// Free texts of a result, by their keys.
const SPOILT = 'text,reason,notes,assumptions,steps,convention,warnings,question,settle,graph_check'.split(',');

test('hostile names and labels stay text', async () => {
  const quote = (text) => `"${text.replaceAll('"', '""')}"`;
  let state = 7;
  const random = () => (state = (state * 16807) % 2147483647) / 2147483647 - 0.5;
  const lines = [[...HOSTILE, '<b>segment</b>'].map(quote).join(',')];
  for (let i = 0; i < 600; i++) {
    let v = random();
    const row = HOSTILE.map(() => (v = 0.8 * v + random() * (1 + (i % HOSTILE.length) / 3)).toFixed(6));
    lines.push([...row, quote(HOSTILE[i % HOSTILE.length])].join(','));
  }
  writeFileSync(at('hostile.csv'), lines.join('\n') + '\n');
  for (const method of ['pc', 'structured']) {
    nonsens(
      'discover',
      'hostile.csv',
      '--segment',
      '<b>segment</b>',
      '--method',
      method,
      '--json',
      'hostile.json',
      '--html',
      'hostile.html',
      '-o',
      'hostile.txt',
      '-q',
    );
    const { page, wrong, close } = await open('hostile.html');
    await page.evaluate(() =>
      document.querySelectorAll('details').forEach((d) => {
        d.open = true;
      }),
    );
    await page.waitForTimeout(200);
    assert.equal(await page.locator('script').count(), 3, 'report, licences and the one that runs');
    assert.equal(await page.locator('img').count(), 0);
    assert.equal(await page.locator('main b').count(), 0);
    assert.equal(await page.locator('.graph .node').count(), HOSTILE.length);
    const names = await page.locator('#rows select').first().locator('option').allTextContents();
    assert.equal(plain(names[0]), HOSTILE[0]);
    assert.ok([...names[3]].length < 60, 'long names are cut');
    assert.ok(!names.join('').includes('\u202e'), 'no mark turns the text round');
    assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 1101, 'nothing sticks out');
    assert.match(await page.locator('#again code').textContent(), /--segment '<b>segment<\/b>'/);
    await keep(page, `hostile-${method}`);
    assert.deepEqual(wrong, []);
    await close();
  }
});

const evil = '<img src=x onerror=alert(4)><script>alert(5)</script>';
const spoil = (value, key) => {
  if (Array.isArray(value)) return value.map((each) => spoil(each, key));
  if (value && typeof value === 'object') {
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, spoil(each, name)]));
  }
  return typeof value === 'string' && SPOILT.includes(key) ? evil : value;
};

/** The page of a result that someone has tampered with shows texts as text. */
async function staysText(source) {
  const result = json(source);
  writeFileSync(at('spoilt.json'), JSON.stringify(spoil(result)));
  nonsens('report', 'spoilt.json', '-o', 'spoilt.html');
  const { page, wrong, close } = await open('spoilt.html');
  assert.equal(await page.locator('img').count(), 0);
  assert.equal(await page.locator('script').count(), 3, 'report, licences and the one that runs');
  assert.match(await page.locator('main').textContent(), /onerror=alert/);
  assert.deepEqual(wrong, []);
  await close();
}

test('a result that someone has tampered with stays text', async () => {
  for (const source of ['pair.json', 'hostile.json']) await staysText(source);
});

test('from a result file alone, and with other data', async () => {
  nonsens('report', 'pair.json', '-o', 'bare.html');
  const bare = await open('bare.html');
  assert.equal(await bare.page.locator('#rows').count(), 0);
  assert.equal(
    plain(await bare.page.locator('h1').textContent()),
    json('pair.json').decision.replace('->', ' causes '),
  );
  assert.equal(await bare.page.locator('#segments figure').count(), 1);
  assert.deepEqual(bare.wrong, []);
  await bare.close();
  nonsens('simulate', '--seed', '4', '-o', 'other.csv');
  nonsens('report', 'pair.json', '--data', 'other.csv', '-o', 'other.html');
  const other = await open('other.html');
  assert.match(await other.page.locator('#rows .problem').textContent(), /not the data of the result/);
  assert.deepEqual(other.wrong, []);
  await other.close();
});

test('a graph from its result, data and disturbances is the page of --html', () => {
  nonsens('simulate', '--sem', 'node', '--nodes', '3', '--seed', '8', '--per-segment', '100', '-o', 'three.csv');
  const discover = ['discover', 'three.csv', '--segment', 'segment', '-q', '-o', 'three.txt'];
  nonsens(...discover, '--json', 'three.json', '--html', 'three.html', '--sources', 'three_sources.csv');
  nonsens('report', 'three.json', '--data', 'three.csv', '--sources', 'three_sources.csv', '-o', 'again.html');
  assert.equal(readFileSync(at('again.html'), 'utf8'), readFileSync(at('three.html'), 'utf8'));
});

test('what speaks against the answer in the text is a light on the page', async () => {
  nonsens('simulate', '--depth', '3', '--seed', '12', '--per-segment', '300', '--confounded', 'modulated', '-o', 'hid.csv');
  for (const method of ['structured', 'resit', 'lingam', 'linear-ica']) {
    const words = ['discover', 'hid.csv', '--segment', 'segment', '--method', method];
    const command = method === 'linear-ica' ? ['direction', ...words.slice(1)] : words;
    nonsens(...command, '--json', 'hid.json', '--html', 'hid.html', '-o', 'hid.txt', '-q');
    const { notes, note_levels: levels } = json('hid.json');
    assert.equal(notes.length, levels.length);
    const { page, wrong, close } = await open('hid.html');
    for (const level of ['caution', 'problem']) {
      const shown = (await page.locator(`#checks li.${level} p`).allTextContents()).map(plain);
      notes.filter((_, k) => levels[k] === level).forEach((note) => assert.ok(shown.includes(note), note));
    }
    assert.ok(levels.includes('problem') || levels.includes('caution'), `${method} has something to say`);
    const problems = await page.locator('#checks li.problem').count();
    assert.equal(await page.locator('#decision p.problem').count(), problems > 0 ? 1 : 0);
    assert.deepEqual(wrong, []);
    await close();
  }
});

test('explain: the root cause first, what changed as a picture, the graph with its verdicts', async () => {
  const simulate = ['simulate', '--seed', '5', '--sem', 'node', '--nodes', '5', '--segments', '8', '--fault', '4'];
  nonsens(...simulate, '-o', 'fault.csv', '--truth', 'fault_truth.json');
  const explain = ['explain', 'fault.csv', '--segment', 'segment', '--of', 's8', '--against', 's1', '-q'];
  nonsens(...explain, '--json', 'fault.json', '--html', 'fault.html', '-o', 'fault.txt');
  const truth = json('fault_truth.json').fault.variable;
  const { page, wrong, close } = await open('fault.html');
  assert.equal(plain(await page.locator('h1').textContent()), `fault.csv: In s8, ${truth} changed by itself`);
  assert.equal(await page.locator('#changes figure svg').count(), 1);
  await hasRows(page, '#changes', 5);
  assert.equal(plain(await page.locator('#changes tbody th').first().textContent()), truth);
  const node = page.locator('.graph .node.changed-itself');
  assert.equal(await node.count(), 1);
  assert.match(plain(await node.getAttribute('aria-label')), new RegExp(`^${truth}: changed itself: wider`));
  assert.equal(
    await page.locator('#again code').textContent(),
    'nonsens explain fault.csv --segment segment --of s8 --against s1',
  );
  await page.evaluate(() =>
    document.querySelectorAll('details').forEach((d) => {
      d.open = true;
    }),
  );
  assert.deepEqual(await page.evaluate(contrasts), []);
  assert.deepEqual(await page.evaluate(unnamed), []);
  await keep(page, 'explain');
  assert.deepEqual(wrong, []);
  await close();
  nonsens('report', 'fault.json', '--data', 'fault.csv', '-o', 'fault_again.html');
  assert.equal(readFileSync(at('fault_again.html'), 'utf8'), readFileSync(at('fault.html'), 'utf8'));
});

/** A result of effect as a page; returns its JSON. */
function effectPage(name, graph, ...words) {
  const common = ['plant.csv', '--segment', 'day', '--graph', graph, '--draws', '20', '-q', '-o', `${name}.txt`];
  nonsens('effect', ...common, ...words, '--json', `${name}.json`, '--html', `${name}.html`);
  return json(`${name}.json`);
}

/** Headline and text of the answer, without marks of direction and blanks that do not break. */
async function answerOf(page) {
  const of = async (place) => plain(await page.locator(place).innerText()).replaceAll('\u00a0', ' ');
  const headline = plain(await page.locator('h1').textContent()).replaceAll('\u00a0', ' ').replace(/^\w+\.csv: /, '');
  return { headline, text: await of('#decision') };
}

/** What every page of an effect must have, wide and narrow: no error, names, contrast, and no column of dashes. */
async function lookAt(name, look = async () => {}) {
  for (const [width, colorScheme] of [[1100, 'light'], [390, 'dark']]) {
    const { page, wrong, close } = await open(`${name}.html`, { viewport: { width, height: 900 }, colorScheme });
    await page.waitForTimeout(100);
    assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= width, `${name}: nothing sticks out`);
    await keep(page, `effect-${name}-${width}`);
    if (width === 1100) await look(page);
    await page.evaluate(() => document.querySelectorAll('details').forEach((d) => (d.open = true)));
    await page.waitForTimeout(100);
    assert.deepEqual(await page.evaluate(contrasts), [], `${name}: contrast, ${colorScheme}`);
    assert.deepEqual(await page.evaluate(unnamed), [], name);
    const texts = await page.locator('#effects td, #effects figcaption, #effects text, #decision, #checks').allTextContents();
    const empty = texts.filter((text) => text.trim() === '\u2013' || /NaN|undefined|null|Infinity/.test(text));
    assert.deepEqual(empty, [], `${name}: a value that is no value`);
    assert.deepEqual(wrong, [], name);
    await close();
  }
}

const picturesIn = (page) => page.locator('#effects figure svg.plot').count();
const onTheWay = (page) => page.locator('.graph .edge.way').count();

test('effect: one answer, on a page that report makes again', async () => {
  const simulate = ['simulate', '--sem', 'node', '--nodes', '4', '--segments', '5', '--per-segment', '80'];
  nonsens(...simulate, '--edge-prob', '0.6', '--depth', '1', '--seed', '4', '-o', 'plant.csv');
  const [, ...lines] = readFileSync(at('plant.csv'), 'utf8').split('\n');
  writeFileSync(at('plant.csv'), ['hall,temp,flow,defects,day', ...lines].join('\n'));
  writeFileSync(at('known.csv'), 'from,to\ntemp,flow\nflow,defects\n');
  writeFileSync(at('open.csv'), 'from,to,type\ntemp,flow,---\nflow,defects,-->\n');
  writeFileSync(at('hidden.csv'), 'from,to,type\ntemp,flow,-->\nflow,defects,-->\ntemp,defects,<->\n');
  const [one] = effectPage('one', 'known.csv', '--do', 'temp=0.2', '--on', 'defects').effects;
  await lookAt('one', async (page) => {
    const { headline, text } = await answerOf(page);
    assert.match(headline, /^Setting temp to 0.2(: no clear change in| raises| lowers) the mean of defects/);
    assert.match(text, /95 % interval/);
    assert.ok(text.includes(String(Number(one.mean.toPrecision(3)))), 'the mean then');
    assert.equal(await picturesIn(page), 2, 'differences and distributions');
    await hasRows(page, '#effects', 6);
    assert.equal(await onTheWay(page), 2);
    assert.equal(plain(await page.locator('.graph .node.set').textContent()), 'temp');
    assert.equal(plain(await page.locator('.graph .node.asked').textContent()), 'defects');
    assert.match(await page.locator('#checks').textContent(), /hidden common cause.*would have to explain/);
    assert.match(await page.locator('#again code').textContent(), /^nonsens effect plant.csv .*--do 'temp=0.2'/);
    assert.equal(await page.locator('nav a').first().textContent(), 'Answer');
  });
  nonsens('report', 'one.json', '--data', 'plant.csv', '-o', 'one_again.html');
  assert.equal(readFileSync(at('one_again.html'), 'utf8'), readFileSync(at('one.html'), 'utf8'));
});

test('effect: several variables and a curve of each', async () => {
  const several = effectPage('several', 'known.csv', '--change', 'temp=+0.2');
  await lookAt('several', async (page) => {
    const { headline, text } = await answerOf(page);
    assert.match(headline, /^Raising temp by 0.2/);
    assert.match(text, /Exactly unchanged, because no directed path leads to them: hall/);
    assert.equal(await picturesIn(page), 4, 'two of flow and two of defects');
    await page.locator('#effects summary').click();
    await hasRows(page, '#effects', several.effects.length);
  });
  const curve = effectPage('curve', 'known.csv', '--do', 'temp=-0.4:0.4:0.2');
  await lookAt('curve', async (page) => {
    assert.match((await answerOf(page)).headline, /^Setting temp to values from -0.4 to 0.4/);
    assert.equal(await picturesIn(page), 2, 'flow and defects; nothing leads to hall');
    assert.equal(await page.locator('#effects svg [aria-label="area"] path').count(), 2, 'a band each');
    assert.equal(await page.locator('#effects svg [aria-label="dot"]').first().locator('circle').count(), 5);
    assert.match(await page.locator('#effects svg').first().textContent(), /now/);
    assert.equal(curve.effects.length, 15);
  });
  effectPage('single', 'known.csv', '--do', 'temp=-0.4:0.4:0.2', '--on', 'flow');
  await lookAt('single', async (page) => {
    assert.match((await answerOf(page)).headline, /^The mean of flow is lowest at temp = -?0\.\d and highest at temp = -?0\.\d$/);
  });
});

test('effect: a range, no answer and no path come first, with what would settle them', async () => {
  const range = effectPage('range', 'open.csv', '--do', 'temp=0.2', '--on', 'defects').effects[0];
  await lookAt('range', async (page) => {
    const { headline, text } = await answerOf(page);
    assert.match(headline, /depending on open directions$/);
    assert.ok(text.includes(range.settle), 'what would settle it');
    assert.equal(await picturesIn(page), 1);
    assert.equal(await page.locator('#decision.open').count(), 1);
    assert.match(await page.locator('#checks').textContent(), /Answers that are ranges/);
  });
  const refused = effectPage('refused', 'hidden.csv', '--do', 'temp=0.2', '--on', 'defects').effects[0];
  await lookAt('refused', async (page) => {
    const { headline, text } = await answerOf(page);
    assert.equal(headline, 'No answer to what setting temp to 0.2 does to defects');
    assert.ok(text.includes(refused.reason) && text.includes(refused.settle));
    assert.equal(await picturesIn(page), 0);
  });
  effectPage('nopath', 'known.csv', '--do', 'defects=0.2', '--on', 'temp');
  await lookAt('nopath', async (page) => {
    const { headline } = await answerOf(page);
    assert.equal(headline, 'Setting defects to 0.2 does not change temp: the effect is exactly 0');
    assert.equal(await onTheWay(page), 0);
  });
});

test('effect: a result that someone has tampered with stays text', async () => {
  for (const source of ['one.json', 'range.json', 'refused.json']) await staysText(source);
});

test('effect: all effects, and rows', async () => {
  const { quartile_effects: all } = effectPage('table', 'known.csv');
  const pairs = all.filter((p) => p.answered !== 'no path');
  await lookAt('table', async (page) => {
    assert.match((await answerOf(page)).headline, /^The strongest of 3 effects among 4 variables: /);
    assert.equal(await picturesIn(page), 1);
    await hasRows(page, '#effects', pairs.length);
  });
  effectPage('hidden', 'hidden.csv');
  await lookAt('hidden', async (page) => {
    const { headline, text } = await answerOf(page);
    assert.equal(headline, '2 of 3 effects among 4 variables have no single answer');
    assert.match(text, /is not identified, because of temp <-> defects/);
  });
  const { rows } = effectPage('rows', 'known.csv', '--do', 'temp=0.2', '--row', '3,5');
  await lookAt('rows', async (page) => {
    const { headline, text } = await answerOf(page);
    assert.equal(headline, 'What 2 rows would have been with temp = 0.2');
    assert.match(text, /flow in row 3: .* instead of /);
    assert.equal(await picturesIn(page), 2);
    await hasRows(page, '#effects', rows.length);
  });
});

test('effect: without intervals; hostile and very long names', async () => {
  const common = ['--segment', '<b>segment</b>', '--draws', '0', '-q', '-o', 'text'];
  const graph = ['from,to', ...[1, 3, 4].map((k) => [HOSTILE[2], HOSTILE[k]].map((n) => `"${n.replaceAll('"', '""')}"`).join(','))];
  writeFileSync(at('hostile_graph.csv'), graph.join('\n') + '\n');
  nonsens('effect', 'hostile.csv', ...common, '--graph', 'hostile_graph.csv', '--change', `${HOSTILE[2]}=+0.1`, '--html', 'evil.html', '--json', 'evil.json');
  nonsens('effect', 'hostile.csv', ...common, '--graph', 'hostile_graph.csv', '--html', 'evil_table.html');
  for (const name of ['evil', 'evil_table']) {
    await lookAt(name, async (page) => {
      assert.equal(await page.locator('img').count(), 0);
      assert.equal(await page.locator('main b').count(), 0);
    });
  }
});

test('every method for pairs, decided or not', async () => {
  nonsens(
    'simulate',
    '--depth',
    '2',
    '--segments',
    '5',
    '--per-segment',
    '60',
    '--seed',
    '3',
    '--cyclic',
    '-o',
    'small.csv',
  );
  for (const method of ['nonsens', 'nonsens-lr', 'linear-ica', 'lingam', 'resit', 'reci', 'icp', 'cdnod']) {
    nonsens(
      'direction',
      'small.csv',
      '--segment',
      'segment',
      '--method',
      method,
      '--epochs',
      '8',
      '--folds',
      '2',
      '--html',
      'method.html',
      '-o',
      'method.txt',
      '-q',
    );
    const { page, wrong, close } = await open('method.html');
    assert.equal(await page.locator('#evidence figure').count(), 1, method);
    assert.deepEqual(wrong, [], method);
    if (method === 'nonsens') {
      assert.equal(await page.locator('#training figure svg').count(), 1);
      await page.locator('#training summary').click();
      await hasRows(page, '#training', 8);
      await keep(page, 'nonsens');
    }
    await close();
  }
});

/** 50 variables in a chain, 1,000,000 rows, the segment last: as .npy, which is quickly made. */
function writeBig(path) {
  const [rows, columns, block] = [1000000, 51, 20000];
  const text = `{'descr': '<f4', 'fortran_order': False, 'shape': (${rows}, ${columns}), }`;
  const padded = text + ' '.repeat(63 - ((10 + text.length) % 64)) + '\n';
  const file = openSync(path, 'w');
  writeSync(
    file,
    Buffer.concat([
      Buffer.from([0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, 1, 0, padded.length & 255, padded.length >> 8]),
      Buffer.from(padded),
    ]),
  );
  const part = new Float32Array(block * columns);
  let state = 1;
  const random = () => (state = (state * 48271) % 2147483647) / 2147483647 - 0.5;
  for (let k = 0; k < rows / block; k++) {
    for (let i = 0; i < block; i++) {
      let v = 0;
      for (let j = 0; j + 1 < columns; j++) part[i * columns + j] = v = 0.6 * v + random() * (1 + (k % 20) / 10);
      part[i * columns + columns - 1] = k % 20;
    }
    writeSync(file, new Uint8Array(part.buffer));
  }
  closeSync(file);
}

test('50 variables and 1,000,000 rows: under 5 MB and quick', async () => {
  writeBig(at('big.npy'));
  nonsens(
    'discover',
    'big.npy',
    '--no-header',
    '--segment',
    '#51',
    '--method',
    'pc',
    '--max-given',
    '1',
    '--html',
    'big.html',
    '-o',
    'big.txt',
    '-q',
  );
  assert.ok(statSync(at('big.html')).size < 5e6, `${statSync(at('big.html')).size} bytes`);
  const { page, wrong, seconds, close } = await open('big.html');
  assert.ok(seconds < 20, `${seconds} s to open`);
  assert.equal(await page.locator('.graph .node').count(), 50);
  assert.match(await page.locator('#rows > p').first().textContent(), /of 1,000,000/);
  const begun = Date.now();
  await page.locator('#rows select').first().selectOption({ index: 30 });
  await page.getByRole('button', { name: 'Zoom in' }).click();
  await page.waitForFunction(() => /scale/.test(document.querySelector('.graph > g').getAttribute('transform') ?? ''));
  assert.ok(Date.now() - begun < 8000, 'choosing and zooming do not hang');
  await page.waitForTimeout(100);
  await keep(page, 'big');
  assert.deepEqual(wrong, []);
  await close();
});
